# frozen_string_literal: true

require_relative "../base"

Raffia::Optional.gem("io-event", ">= 1.11", for: "IO::Event::Selector::Raffia", feature: "io/event")

require_relative "io_event/selector"

# IO_EVENT_SELECTOR=Raffia finds it under this name; io-event's default stays.
IO::Event::Selector.const_set(:Raffia, Raffia::Integrations::IOEvent::Selector)
