# frozen_string_literal: true

require_relative "../failure"
require_relative "../reply"
require_relative "../reply_transport"
require_relative "adapter"

module Raffia
  module Executor
    module Ractors
      # A Ractor that waits for other Ractors, so that the main one need not: it receives them, and
      # writes what each has come to.
      module Relay
        class << self
          def start
            Adapter.new do |fd|
              Adapter.start(fd) do |given_fd|
                Adapter.serve(given_fd) { |writer| Relay.serve(writer) }
              end
            end
          end

          # In the Ractor.
          def serve(writer)
            while (message = ::Ractor.receive)
              break unless writer.write(ReplyTransport.dump(outcome(*message)))
            end
          end

          private

          def outcome(ractor, keep)
            value = Adapter.value(ractor)
            Reply.new(keep ? value : nil)
          rescue ::Exception => error # standard:disable Lint/RescueException
            Reply.new(nil, Failure.of((error.is_a?(::Ractor::RemoteError) && error.cause) || error))
          end
        end
      end
    end
  end
end
