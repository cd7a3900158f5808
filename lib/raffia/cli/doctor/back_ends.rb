# frozen_string_literal: true

module Raffia
  module CLI
    class Doctor < Command
      # The compiled part of Raffia.
      module Extension
        module_function

        def call
          [check(method(:available?)), (server(Native.http?) if defined?(Native.http?)),
            (http2(Native.http2?) if defined?(Native.http2?) && Native.http?)].compact
        end

        def server(compiled_in)
          return Check.ok("HTTP server", "llhttp is compiled in") if compiled_in
          Check.warn("HTTP server", "there is none: llhttp was not found",
            "To have it, #{Native::HTTP_ADVICE}.")
        end

        def http2(compiled_in)
          return Check.ok("HTTP/2", "libnghttp2 is compiled in") if compiled_in
          Check.note("HTTP/2", "the server speaks HTTP/1.1 only: libnghttp2 was not found when " \
            "Raffia's extension was compiled. To have it, #{Native::HTTP2_ADVICE}")
        end

        # available: a callable that returns true or false, or raises LoadError.
        def check(available)
          return Check.ok("raffia.so", "loaded") if available.call
          Check.warn("raffia.so", "not built for this Ruby", ADVICE)
        rescue LoadError => e
          Check.broken("raffia.so", "there, but does not load: #{e.message}", ADVICE)
        end

        def available?
          require_relative "../../native"
          Native.available?
        end

        ADVICE = "Only the select back end works without it. From a checkout: bin/setup. As a " \
          "gem: `gem pristine raffia`, with a C compiler installed."
        private_constant :ADVICE
      end

      # The event loop's back ends, each tried now.
      module BackEnds
        module_function

        def call
          require_relative "../../engine"
          found = Engine.probe
          best = Engine.best
          found.map { |back_end| check(**back_end, best: best) }
        rescue ConfigError => e
          [Check.broken("RAFFIA_BACKEND", e.message,
            "Unset RAFFIA_BACKEND, or name one that works.")]
        end

        def check(name:, ok:, reason:, best:)
          return Check.note(name.to_s, "does not work here: #{reason}") unless ok
          Check.ok(name.to_s, (name == best) ? "works; the one that is used" : "works")
        end
      end
    end
  end
end
