# frozen_string_literal: true

module Raffia
  module Executor
    module Ractors
      # Methods of Ruby's own library that are known to fail in a Ractor, and the remedy. They work
      # where none of the constants that are named for them (by several versions of the library)
      # holds anything unshareable.
      module IncompatibleMethods
        Entry = Data.define(:culprits, :remedy) do
          def culprit = culprits.find { |name| unshareable?(name) }

          private

          def unshareable?(name)
            !::Ractor.shareable?(::Object.const_get(name))
          rescue NameError
            false
          end
        end

        HTTP = Entry.new(%w[Net::HTTP::SSL_IVNAMES].freeze,
          "Make HTTP calls on: :fibers or :threads")

        ALL = {
          "Timeout.timeout" => Entry.new(
            %w[Timeout::TIMEOUT_THREAD_MUTEX Timeout::State::GLOBAL_STATE].freeze,
            "Use Raffia.timeout(seconds), or the timeouts that the library in question has"
          ),
          "ERB.new" => Entry.new(%w[ERB::NOT_GIVEN].freeze,
            "Compile the template before the call, ERB.new(text).def_method(SomeModule, " \
              "\"render(item)\"), and call that method"),
          "OptionParser.new" => Entry.new(%w[OptionParser::DefaultList].freeze,
            "Parse options before the call"),
          **%w[new start get get_print get_response post post_form].to_h { |name|
            ["Net::HTTP.#{name}", HTTP]
          }
        }.freeze

        def self.find(receiver, name)
          entry = ALL["#{receiver.name}.#{name}"]
          entry if entry&.culprit
        end
      end
    end
  end
end
