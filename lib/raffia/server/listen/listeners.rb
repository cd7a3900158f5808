# frozen_string_literal: true

require_relative "listener"

module Raffia
  class Server
    # Addresses and sockets that accept connections.
    module Listen
      # All listeners of a server. They live as long as the server does: a worker that ends leaves
      # them open, and with them the connections that wait to be accepted (DESIGN.md 4, contract
      # 14).
      class Listeners
        # @return [Array<Listener>] those of the first worker
        attr_reader :first

        # @param options [Options]
        # @param inherited [Hash{Integer => String}] what systemd has handed in
        # @raise [CannotListen] when an address cannot be had; none is held then
        def initialize(options, inherited: {})
          @options = options
          @reuse_port = options.reuse_port && [options.workers, 1].max * options.lanes > 1
          @all = []
          @first = options.binds.flat_map do |bind|
            add(Listener.open(bind, options, reuse_port: @reuse_port &&
              bind.tcp?, inherited: inherited))
          end
          @slots = (options.lanes == 1) ? [@first] : []
        rescue
          close
          raise
        end

        # @param index [Integer] of a worker
        # @return [Array<Listener>] the same for each generation of that worker. TCP sockets of its
        #   own, as many as it has Ractors; all others are shared. A worker that was taken away has
        #   left its sockets closed; another in its place gets new ones
        def slot(index)
          @slots[index] = nil if @slots[index]&.any? { |listener| listener.socket.closed? }
          @slots[index] ||= Array.new(@options.lanes) { |each|
            (index + each).zero? ? @first : lane
          }
            .flatten
        end

        # @param slot [Array<Listener>]
        # @return [Array<Array<Listener>>] those of each Ractor; of the worker where there are none
        def lanes(slot) = slot.each_slice(@first.size).to_a

        # What a worker has of its slot: a process that was not forked from this one has sockets
        # without what is known of them.
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

        def lane
          @first.map { |listener| (@reuse_port && listener.bind.tcp?) ? again(listener) : listener }
        end

        def add(listeners) = listeners.each { |listener| @all << listener }

        def again(listener) = add([listener.again(@options)]).first
      end
    end
  end
end
