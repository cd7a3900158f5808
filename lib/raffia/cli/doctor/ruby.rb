# frozen_string_literal: true

require "rbconfig"

module Raffia
  module CLI
    class Doctor < Command
      # The running Ruby.
      module Ruby
        MINIMUM = "3.3.5"
        TOO_OLD = "Raffia needs #{MINIMUM} or later: earlier 3.3 can hang after fork, and before " \
          "3.3 parts of the Fiber scheduler are missing."
        WITHOUT_COUNTER = " For Ractors, one built without rustc and with --disable-rjit will do."

        module_function

        def call(version: RUBY_VERSION, yjit: yjit_state, config: RbConfig::CONFIG)
          [ruby(version), jit(yjit, counting?(version, config))].compact
        end

        def ruby(version)
          found = "#{RUBY_ENGINE} #{version} on #{RUBY_PLATFORM}"
          if older?(version, MINIMUM)
            return Check.broken("version", found, "#{TOO_OLD} From a checkout, bin/setup gets one.")
          end
          unless older?(version, "4.0")
            return Check.note("version", found,
              "Raffia was not run on this Ruby yet, only on 3.3 and 3.4 (and JRuby 10).")
          end
          return Check.ok("version", found) unless older?(version, "3.4")
          Check.note("version", found,
            "Ruby 3.4 moves long C calls (zlib, for one) off the event loop by itself; on 3.3 " \
            "wrap them in Raffia.offload.")
        end

        def jit(state, counting)
          case state
          when :on then Check.ok("YJIT", "on")
          when :off
            Check.note("YJIT", "off",
              "Start Ruby with --yjit, or set RUBY_YJIT_ENABLE=1: Ruby code runs faster" \
              "#{", and Ractors no longer slow each other down" if counting}.")
          when :absent
            Check.note("YJIT",
              "not part of this Ruby#{", and Ractors slow each other down" if counting}",
              "A Ruby built where rustc is present has it.#{WITHOUT_COUNTER if counting}")
          end
        end

        # See docs/adr/0005-yjit-for-ractors.md.
        def counting?(version, config)
          version.start_with?("3.") &&
            config.values_at("YJIT_SUPPORT", "RJIT_SUPPORT").any? { |built| built && built != "no" }
        end

        # nil on JRuby.
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
