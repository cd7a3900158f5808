# frozen_string_literal: true

require_relative "listener"
require_relative "socket_set"

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

        # `given`: sockets of an earlier server, see {SocketSet}; `scope`: theirs. Raises
        # CannotListen; then none is open.
        def initialize(options, inherited: {}, given: SocketSet.new, scope: "serve")
          @options = options
          @given = given
          @scope = scope
          @reuse_port = options.reuse_port && [options.most_workers, 1].max * options.ractor_count > 1
          @all = {}.compare_by_identity
          @first = options.binds.flat_map { |bind| first_of(bind, inherited) }
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
            unit = index * @options.ractor_count + ractor
            unit.zero? ? @first : duplicates(unit)
          end.flatten
        end

        # Splits a slot's listeners into one list for each Ractor.
        def by_ractor(slot) = slot.each_slice(@first.size).to_a

        # For a worker that has only the sockets, because it was not forked from this process.
        def adopt(sockets)
          sockets.each_with_index.map { |socket, index| @first[index % @first.size].adopt(socket) }
        end

        # All open sockets, by {SocketSet::Key}.
        def sockets
          @all.reject { |listener, _| listener.socket.closed? }
            .to_h { |listener, key| [key, listener.socket] }
        end

        # This process removes the files of Unix sockets, from now on.
        def own = @all.each_key(&:own)

        # Another server has these sockets, and removes their files.
        def disown(keys) = @all.each { |one, key| one.disown if keys.include?(key) }

        def close
          @all.each_key(&:close)
          @all.clear
        end

        private

        def first_of(bind, inherited)
          given = @given.take(@scope, 0, bind)
          found = if given.any?
            tls = Listener.tls(bind, @options)
            given.map { |socket| Listener.new(socket, bind, tls: tls, owner: nil) }
          else
            Listener.open(bind, @options, reuse_port: @reuse_port && bind.tcp?, inherited:)
          end
          found.each_with_index { |listener, position| add(listener, 0, position) }
        end

        def duplicates(unit)
          given = {}
          @first.map do |listener|
            bind, position = listener.bind, @all[listener].position
            given[bind] ||= @given.take(@scope, unit, bind)
            if (socket = given[bind][position])
              add(listener.with(socket), unit, position)
            elsif @reuse_port && listener.reuse_port?
              add(listener.duplicate(@options), unit, position)
            else
              listener
            end
          end
        end

        def add(listener, unit, position)
          @all[listener] = SocketSet::Key.new(@scope, unit, listener.bind.to_s, position)
          listener
        end
      end
    end
  end
end
