# frozen_string_literal: true

require_relative "listener"

module Raffia
  class Server
    # Addresses and sockets that accept connections.
    module Listen
      # The listeners of a server. They stay open until the server ends, because closing one drops
      # the connections that wait in its queue.
      class Listeners
        # @return [Array<Listener>] those of the first worker
        attr_reader :first

        # @param options [Options]
        # @param inherited [Hash{Integer => String}] descriptors and names from systemd
        # @raise [CannotListen] and then none is open
        def initialize(options, inherited: {})
          @options = options
          @reuse_port = options.reuse_port && [options.workers, 1].max * options.ractor_count > 1
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

        # @param index [Integer] of a worker
        # @return [Array<Listener>] the same for each generation of that worker: TCP sockets of its
        #   own, one per Ractor, and the others shared. Sockets that a removed worker has closed are
        #   opened again
        def slot(index)
          @slots[index] = nil if @slots[index]&.any? { |listener| listener.socket.closed? }
          @slots[index] ||= Array.new(@options.ractor_count) do |ractor|
            (index + ractor).zero? ? @first : duplicates
          end.flatten
        end

        # @param slot [Array<Listener>]
        # @return [Array<Array<Listener>>] those of each Ractor; one Array without Ractors
        def by_ractor(slot) = slot.each_slice(@first.size).to_a

        # For a worker that was not forked from this process, and has only the sockets.
        # @param sockets [Array<IO>] of a slot
        # @return [Array<Listener>]
        def adopt(sockets)
          sockets.each_with_index.map { |socket, index| @first[index % @first.size].adopt(socket) }
        end

        # @return [void]
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
