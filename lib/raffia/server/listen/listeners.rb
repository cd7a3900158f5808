# frozen_string_literal: true

require_relative "listener"

module Raffia
  class Server
    # Addresses and sockets that accept connections.
    module Listen
      # The listeners of a server. They stay open until it ends, because closing one drops the
      # connections in its queue.
      #
      # @api private
      class Listeners
        # Those of the first worker.
        attr_reader :first

        # Raises CannotListen; then none is open.
        def initialize(options, inherited: {})
          @options = options
          @reuse_port = options.reuse_port && [options.most_workers, 1].max * options.ractor_count > 1
          @all = []
          @first = options.binds.flat_map do |bind|
            reuse_port = @reuse_port && bind.tcp?
            add(Listener.open(bind, options, reuse_port: reuse_port, inherited: inherited))
          end
          @slots = (options.ractor_count == 1) ? [@first] : []
        rescue
          close
          raise
        end

        # Listeners of a worker, the same for each generation: its own TCP sockets, one per Ractor,
        # and the shared others. Reopens sockets that a removed worker has closed.
        def slot(index)
          @slots[index] = nil if @slots[index]&.any? { |listener| listener.socket.closed? }
          @slots[index] ||= Array.new(@options.ractor_count) do |ractor|
            (index + ractor).zero? ? @first : duplicates
          end.flatten
        end

        # Splits a slot's listeners into one list for each Ractor.
        def by_ractor(slot) = slot.each_slice(@first.size).to_a

        # For a worker that has only the sockets, because it was not forked from this process.
        def adopt(sockets)
          sockets.each_with_index.map { |socket, index| @first[index % @first.size].adopt(socket) }
        end

        def close
          @all.each(&:close)
          @all.clear
        end

        private

        def duplicates
          @first.map do |listener|
            next listener unless @reuse_port && listener.bind.tcp?

            add([listener.duplicate(@options)]).first
          end
        end

        def add(listeners) = listeners.each { |listener| @all << listener }
      end
    end
  end
end
