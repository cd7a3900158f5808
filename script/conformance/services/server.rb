# frozen_string_literal: true

module Conformance
  module Servers
    # A server on a free port, with its data in a folder of its own. A kind says: NAME, PACKAGES
    # (Debian's), command, and what it prepares.
    class Server
      # Seconds for a start on a busy machine.
      PATIENCE = 60
      FOLDERS = [*ENV.fetch("PATH", "").split(":"), "/usr/sbin",
        *Dir["/usr/lib/postgresql/*/bin"].sort.reverse].freeze
      # Some servers refuse to be root's.
      UNPRIVILEGED = "nobody"

      attr_reader :port, :folder

      def start
        @folder = Dir.mktmpdir("raffia-conformance-")
        FileUtils.chmod(0o755, @folder)
        FileUtils.chown(UNPRIVILEGED, nil, @folder) if root?
        @port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }
        prepare
        @pid = ::Process.spawn(*as_user, *command, out: [log, "a"], err: [:child, :out],
          in: File::NULL, pgroup: true)
        wait
        ready
      rescue
        stop
        raise
      end

      def stop
        if @pid
          ::Process.kill(:KILL, -@pid)
          ::Process.wait(@pid)
          @pid = nil
        end
        FileUtils.rm_rf(@folder) if @folder
      end

      # Values for a suite's env: %{redis}, %{redis_folder}.
      def facts = {name.to_sym => @port, :"#{name}_folder" => @folder}

      private

      def name = self.class::NAME

      def prepare = nil

      def ready = nil

      def root? = ::Process.euid.zero?

      def as_user
        root? ? ["setpriv", "--reuid=#{UNPRIVILEGED}", "--regid=nogroup", "--clear-groups"] : []
      end

      def log = File.join(@folder, "log")

      def program(file)
        FOLDERS.map { |dir| File.join(dir, file) }.find { |path| File.executable?(path) } or
          raise Error, "#{file} is not installed (as root: apt-get install #{self.class::PACKAGES})"
      end

      def run(*command) = Source.command(*as_user, *command, chdir: @folder)

      def wait
        give_up = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) + PATIENCE
        until answers?
          if ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) > give_up || ::Process.wait(@pid,
            ::Process::WNOHANG)
            raise Error, "#{name} does not start: #{File.readlines(log).last(3).join}"
          end
          sleep(0.05)
        end
      end

      def answers?
        TCPSocket.open("127.0.0.1", @port).close
        true
      rescue SystemCallError
        false
      end
    end
  end
end
