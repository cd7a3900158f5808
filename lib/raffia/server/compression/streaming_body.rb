# frozen_string_literal: true

require "delegate"
require_relative "encoder"

module Raffia
  class Server
    class Compression
      # A Rack body that answers to `call`, whose writes are encoded. Each write is flushed.
      #
      # @api private
      class StreamingBody
        def initialize(body, coding)
          @body = body
          @coding = coding
        end

        def call(stream)
          encoder = Encoder.new(@coding)
          @body.call(output = Output.new(stream, encoder))
          output.close_write
        ensure
          encoder&.close
        end

        def close = (@body.close if @body.respond_to?(:close))

        # The stream of the response. Reads the request, encodes what is written.
        class Output < ::SimpleDelegator
          def initialize(stream, encoder)
            super(stream)
            @encoder = encoder
            @lock = ::Thread::Mutex.new
            @open = true
          end

          def write(*strings) = strings.sum { |string| transmit(string.to_s) }

          def syswrite(string) = write(string)

          def write_nonblock(string, **) = write(string)

          def <<(string)
            write(string)
            self
          end

          def close_write
            @lock.synchronize do
              next unless @open

              @open = false
              __getobj__.write(@encoder.finish)
              __getobj__.close_write
            end
            nil
          end

          def close
            close_write
            __getobj__.close
          end

          def closed? = !@open

          private

          # The lock keeps pieces in order when several fibers write.
          def transmit(string)
            @lock.synchronize do
              raise IOError, "closed stream" unless @open

              bytes = @encoder.encode(string, true)
              __getobj__.write(bytes) unless bytes.empty?
            end
            string.bytesize
          end
        end
        private_constant :Output
      end
    end
  end
end
