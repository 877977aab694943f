import Glibc

/// A positive number of up to four digits in an environment variable.
func environmentNumber(_ name: String) -> Int? {
    guard let value = unsafe getenv(name), let number = Int(unsafe String(cString: value)),
        (1...9999).contains(number)
    else { return nil }
    return number
}
