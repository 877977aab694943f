import Glibc

/// Where things are in the checkout, found from this file's own place.
public enum Checkout {
    /// Whether what is tested was built with a sanitizer.
    public static let isSanitized = getenv("TPLAY_SANITIZER") != nil

    /// A limit in minutes on a machine that does nothing else; a sanitizer makes everything ten times slower.
    public static func patience(_ minutes: Int) -> Int {
        isSanitized ? minutes * 12 : minutes
    }

    /// The package's folder.
    public static let root: String = {
        var parts = #filePath.split(separator: "/")
        parts.removeLast(4)
        return "/" + parts.joined(separator: "/")
    }()

    /// The project's own clips.
    public static var samples: String { root + "/Samples" }

    /// Whether something stands at the path.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in a folder, sorted; none where it is not there.
    public static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// A file's bytes; nil where it cannot be read.
    public static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            guard count > 0 else { return nil }
            filled += count
        }
        return bytes
    }
}
