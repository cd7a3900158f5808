# frozen_string_literal: true

require "socket"

require_relative "../base/clock"

module Raffia
  module Process
    # Reports the state of this process to systemd (sd_notify(3)). Lost messages are ignored:
    # systemd's absence is no reason to stop.
    #
    # @api private
    class SystemdNotifier
      def initialize(path, watchdog)
        @address = Addrinfo.unix(path.sub(/\A@/, "\0"), :DGRAM) if path && !path.empty?
        @interval = watchdog && watchdog / 2.0
        @due = 0.0
      end

      def due = (@due if @address && @interval)

      def ready(text) = tell("READY=1", "STATUS=#{text}", "MAINPID=#{::Process.pid}")

      def reloading(text)
        tell("RELOADING=1",
          "MONOTONIC_USEC=#{::Process.clock_gettime(::Process::CLOCK_MONOTONIC, :microsecond)}",
          "STATUS=#{text}")
      end

      def stopping = tell("STOPPING=1", "STATUS=stopping")

      def status(text) = tell("STATUS=#{text}")

      def active? = !@address.nil?

      # Has systemd keep a descriptor. FDPOLL=0: whatever happens to it.
      def store(name, io)
        tell("FDSTORE=1", "FDNAME=#{name}", "FDPOLL=0", ios: [io])
      end

      def unstore(name) = tell("FDSTOREREMOVE=1", "FDNAME=#{name}")

      def tick(now)
        return unless @address && @interval && now >= @due

        @due = now + @interval
        tell("WATCHDOG=1")
      end

      # A heartbeat of another loop.
      def beat = tick(Clock.now)

      private

      def tell(*lines, ios: [])
        return unless @address

        socket = Socket.new(:UNIX, :DGRAM)
        socket.sendmsg_nonblock(lines.map { |line| line.tr("\n", " ") }.join("\n"),
          Socket::MSG_NOSIGNAL, @address, *rights(ios), exception: false)
      rescue SystemCallError
        nil
      ensure
        socket&.close
      end

      def rights(ios) = ios.empty? ? [] : [Socket::AncillaryData.unix_rights(*ios)]
    end
  end
end
