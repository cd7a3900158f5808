# frozen_string_literal: true

module Raffia
  module Executor
    module Ractors
      # What of Ruby's own library is known not to work in a Ractor, and what to use instead. Each
      # entry names the constants which are in its way, of this or that version of the library, so an
      # entry that a newer version has put right is one no longer.
      #
      # @api private
      module IncompatibleMethods
        # culprits:: the constants that may hold something unshareable
        # remedy:: what to do
        Offender = Data.define(:culprits, :remedy) do
          # @return [String, nil] the one that does
          def culprit = culprits.find { |name| unshareable?(name) }

          private

          def unshareable?(name)
            !::Ractor.shareable?(::Object.const_get(name))
          rescue NameError
            false
          end
        end

        HTTP = Offender.new(%w[Net::HTTP::SSL_IVNAMES].freeze,
          "Make HTTP calls on: :fibers or :threads")

        ALL = {
          "Timeout.timeout" => Offender.new(%w[Timeout::TIMEOUT_THREAD_MUTEX
            Timeout::State::GLOBAL_STATE].freeze,
            "Use Raffia.timeout(seconds), or the timeouts that the library in question has"),
          "ERB.new" => Offender.new(%w[ERB::NOT_GIVEN].freeze,
            "Compile the template before the call, ERB.new(text).def_method(SomeModule, " \
              "\"render(item)\"), and call that method"),
          "OptionParser.new" => Offender.new(%w[OptionParser::DefaultList].freeze,
            "Parse options before the call"),
          **%w[new start get get_print get_response post post_form].to_h { |name|
            ["Net::HTTP.#{name}", HTTP]
          }
        }.freeze

        # @param receiver [Module]
        # @param name [Symbol] of a method
        # @return [Offender, nil]
        def self.find(receiver, name)
          offender = ALL["#{receiver.name}.#{name}"]
          offender if offender&.culprit
        end
      end
    end
  end
end
