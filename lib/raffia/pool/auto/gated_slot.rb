# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # A slot with a watcher, which runs each chunk and says whether it takes another one.
      class GatedSlot
        def initialize(slot, watcher)
          @slot = slot
          @watcher = watcher
        end

        def ready? = @slot.ready? && @watcher.open?
        def collect = @watcher.watch { @slot.collect }
        def posted = @slot.posted
        def post(chunk) = @slot.post(chunk)
        def pid = @slot.pid
        def begun = @slot.begun
        def killed = @slot.killed
        def close(clean) = @slot.close(clean)
      end
    end
  end
end
