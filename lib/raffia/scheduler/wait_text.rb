# frozen_string_literal: true

module Raffia
  class Scheduler
    # Describes what a fiber waits for. This may run in a trap handler: nothing here waits, and an
    # object that cannot be described is no error.
    #
    # @api private
    module WaitText
      EVENTS = {IO::READABLE => "readable", IO::PRIORITY => "priority",
                IO::WRITABLE => "writable"}.freeze
      LENGTH = 120
      private_constant :EVENTS, :LENGTH

      module_function

      def describe(reason, subject, events, asleep)
        case reason
        when :io then "#{events(events)}: #{of(subject)}"
        when :sleep then asleep
        when :block then nil.equal?(subject) ? "a lock inside of Ruby" : of(subject)
        when :yield then "its turn"
        else nil.equal?(subject) ? "work elsewhere" : of(subject)
        end
      end

      def of(object)
        case object
        when ::IO then io(object)
        when ::Array then object.map { |part| of(part) }.join(", ")
        when ::String then object
        when ::Thread::Mutex, ::Thread::ConditionVariable then plain(object)
        when ::Thread::Queue
          "#{plain(object)} (#{object.size} in it#{", closed" if object.closed?})"
        else shorten(own_inspect?(object) ? String(object.inspect) : plain(object))
        end
      rescue => error
        "#{plain(object)} (#{error.class} in its inspect)"
      end

      def events(events)
        EVENTS.filter_map { |event, name| name if events.anybits?(event) }.join(" or ")
      end

      def io(io)
        return "#{io.class}, closed" if io.closed?

        where = (io.stat.socket? && addresses(io)) || path(io) || io.stat.ftype.sub("fifo", "pipe")
        "#{io.class} #{where}"
      rescue SystemCallError, IOError => error
        "#{io.class} (#{error.message})"
      end

      def path(io) = (io.path if io.respond_to?(:path))

      # Libraries wait for sockets by IOs that are no Sockets.
      def addresses(io)
        return unless defined?(::Socket)

        socket = if io.is_a?(::BasicSocket)
          io
        else
          ::Socket.for_fd(io.fileno).tap { |other| other.autoclose = false }
        end
        [socket.local_address, peer(socket)].compact.map { |address| words(address) }.join(" -> ")
      end

      def peer(socket)
        socket.remote_address
      rescue SystemCallError
        nil # it listens, or has lost its peer
      end

      def words(address)
        text = address.unix? ? address.unix_path : address.inspect_sockaddr
        text.empty? ? "unnamed" : text
      end

      # Object#inspect would show everything that the object refers to.
      def own_inspect?(object)
        ::Kernel.instance_method(:method).bind_call(object, :inspect).owner != ::Kernel
      rescue NameError
        false # a BasicObject
      end

      def plain(object) = ::Kernel.instance_method(:to_s).bind_call(object)

      def shorten(text) = (text.size > LENGTH) ? "#{text[0, LENGTH]}..." : text
    end
  end
end
