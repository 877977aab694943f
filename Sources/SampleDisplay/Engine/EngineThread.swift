internal import Glibc

/// Starts a thread of its own for work with deadlines; the cooperative pool is not for those.
enum EngineThread {
    /// Runs `body` on a new detached thread.
    ///
    /// The name has at most 15 bytes; debuggers and `top -H` show it.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runThread, box.toOpaque())
        precondition(code == 0, "pthread_create: \(code)")
        pthread_detach(thread)
    }

    fileprivate final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<EngineThread.Body>.fromOpaque(argument).takeRetainedValue()
    nameThread(body.name)
    body.run()
    return nil
}

/// `pthread_setname_np` and `prctl` are not imported into Swift; the file does the same.
private func nameThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = name.withCString { write(file, $0, strlen($0)) }
    close(file)
}
