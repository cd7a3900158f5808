# frozen_string_literal: true

require_relative "check"

module Raffia
  module CLI
    module Doctor
      # The Ruby that runs us.
      #
      # @api private
      module Ruby
        # The oldest Ruby that Raffia supports, and why.
        MINIMUM = "3.3.5"
        TOO_OLD = "Raffia needs #{MINIMUM} or later: earlier 3.3 can hang after fork, and before 3.3 parts of the Fiber " \
          "scheduler are missing."

        module_function

        # @return [Array<Check>]
        def call(version: RUBY_VERSION, yjit: yjit_state)
          [ruby(version), jit(yjit)].compact
        end

        def ruby(version)
          found = "#{RUBY_ENGINE} #{version} on #{RUBY_PLATFORM}"
          return Check.broken("version", found, "#{TOO_OLD} From a checkout, bin/setup gets one.") if older?(version, MINIMUM)
          return Check.ok("version", found) unless older?(version, "3.4")
          Check.note("version", found, "Ruby 3.4 moves long C calls (zlib, for one) off the event loop by itself; on 3.3 " \
            "wrap them in Raffia.offload.")
        end

        def jit(state)
          case state
          when :on then Check.ok("YJIT", "on")
          when :off then Check.note("YJIT", "off", "Start Ruby with --yjit, or set RUBY_YJIT_ENABLE=1: Ruby code runs faster.")
          when :absent then Check.note("YJIT", "not part of this Ruby", "A Ruby built where rustc is present has it.")
          end
        end

        # @return [Symbol, nil] nil where there is no such thing (JRuby)
        def yjit_state
          return unless RUBY_ENGINE == "ruby"
          return :absent unless defined?(RubyVM::YJIT)
          RubyVM::YJIT.enabled? ? :on : :off
        end

        def older?(version, than) = Gem::Version.new(version).release < Gem::Version.new(than)
      end
    end
  end
end
