import MediaTime
import SampleDisplay
import TerminalGraphics

/// The thread that renders.
extension Screen {
    private enum Job {
        case stop
        case render(DisplayedPicture, Field?, PictureDetail, Drawing, generation: Int)
    }

    func renderLoop() {
        // One a way of drawing, kept: the numbers of an image's parts are a renderer's own.
        var renderers: [(detail: PictureDetail, renderer: any PictureRenderer)] = []
        var rendererGeneration = -1
        while true {
            let job: Job? = state.wait { nextJob(&$0) }
            guard
                case .render(let picture, let field, let detail, let drawing, let generation)? = job
            else { return }
            if generation != rendererGeneration {
                renderers.removeAll()
                rendererGeneration = generation
            }
            let known = renderers.first { $0.detail.isDrawn(like: detail) }?.renderer
            guard let renderer = known ?? drawing.renderer(for: detail) else { continue }
            if known == nil { renderers.append((detail, renderer)) }
            if drawing.isPlain || detail.isStill { renderer.forgetPrevious() }
            render(picture, field, detail, with: renderer, generation: generation)
        }
    }

    private func nextJob(_ state: inout State) -> Job? {
        if state.isStopped { return .stop }
        guard let drawing = state.drawing, drawing.kind != nil else { return nil }
        let generation = state.generation
        let detail = state.policy?.detail ?? .exact
        if let due = state.due, due.rendered == nil {
            return .render(due.picture, due.field, detail, drawing, generation: generation)
        }
        if let completion = state.completion, completion.isWanted, completion.rendered == nil,
            let shown = state.shown
        {
            return .render(
                shown.picture, shown.field, completion.detail, drawing, generation: generation)
        }
        if let next = state.nextField, next.rendered == nil, next.time != nil {
            return .render(next.picture, next.field, detail, drawing, generation: generation)
        }
        let next = state.prepared.first { $0.rendered == nil || !$0.detail.isDrawn(like: detail) }
        // Those still to come begin with their earlier field, if with one at all.
        return next.map {
            let field = fieldTime == nil ? nil : FieldOrder($0.picture)?.first
            return .render($0.picture, field, detail, drawing, generation: generation)
        }
    }

    private func render(
        _ picture: DisplayedPicture, _ field: Field?, _ detail: PictureDetail,
        with renderer: any PictureRenderer, generation: Int
    ) {
        do throws(RenderError) {
            let rendered = try renderer.render(picture.pixelBuffer, field: field)
            state.update { state in
                guard state.generation == generation else { return }
                if state.due?.picture === picture, state.due?.field == field {
                    state.due?.rendered = rendered
                    state.due?.detail = detail
                } else if state.nextField?.picture === picture, state.nextField?.field == field {
                    state.nextField?.rendered = rendered
                } else if let index = state.prepared.firstIndex(where: { $0.picture === picture }) {
                    state.prepared[index].rendered = rendered
                    state.prepared[index].field = field
                    state.prepared[index].detail = detail
                } else if state.shown?.picture === picture,
                    state.completion?.detail == detail
                {
                    // An image that is on the screen already is not sent a second time.
                    let isThere =
                        state.shown?.rendered.map { rendered.isSameImage(as: $0) } ?? false
                    if isThere {
                        state.completion = nil
                    } else {
                        state.completion?.rendered = rendered
                    }
                }
            }
        } catch {
            state.update { state in
                state.failure = error
                if state.due?.picture === picture { state.due = nil }
                (state.completion, state.nextField) = (nil, nil)
                state.prepared.removeAll { $0.picture === picture }
            }
        }
    }
}
