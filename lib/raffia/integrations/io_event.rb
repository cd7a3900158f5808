# frozen_string_literal: true

require_relative "../base"

Raffia::Optional.gem("io-event", ">= 1.11", for: "IO::Event::Selector::Raffia", feature: "io/event")

require_relative "io_event/selector"

# Under this name io-event finds it: IO_EVENT_SELECTOR=Raffia. What it takes when that is not set,
# stays what it was.
IO::Event::Selector.const_set(:Raffia, Raffia::Integrations::IOEvent::Selector)
