# frozen_string_literal: true

module ServerFailures
  # Kills workers and servers, and knows which connections they had: a process is stopped first,
  # then its descriptors are read, then it is killed.
  class Kills
    # A connection is named by the client's port.
    Kill = Struct.new(:pids, :at, :ports)

    # States of sockets in /proc/net/tcp. A connection that was not accepted has no inode.
    LISTEN = "0A"
    CONNECTED = %w[01 08].freeze
    private_constant :LISTEN, :CONNECTED

    attr_reader :kills
    # How many servers were killed that had queues of their own, and how many connections were in
    # these.
    attr_reader :own_queues, :in_own_queues

    # @param ports [Array<Integer>] at which the server listens
    def initialize(ports)
      @ports = ports
      @kills = []
      @own_queues = @in_own_queues = 0
    end

    # @return [Boolean] false if the worker had ended before
    def kill(pid)
      return false unless stop(pid)

      end_all([pid], connections(pid))
      true
    end

    # A whole server, its supervisor first. Connections that were on their way from one of its
    # workers to another one end with it: no process has them.
    def kill_server(pid)
      pids = []
      until (more = ([pid, *descendants(pid)] - pids).select { |process| stop(process) }).empty?
        pids.concat(more)
      end
      end_all(pids, pids.flat_map { |process| connections(process) } + under_way +
        unaccepted(pids))
    end

    # Whether the connection of a failed request was one of a killed worker.
    def excuse?(failed)
      @kills.any? do |kill|
        kill.ports.include?(failed[:port]) && kill.at.between?(failed[:opened], failed[:at])
      end
    end

    # @return [String] what may have caused the failure of a request
    def last_before(failed)
      kill = @kills.reverse_each.find { |one| one.at <= failed[:at] } or return "no kill"
      "#{kill.pids.size} processes killed, #{((failed[:at] - kill.at) * 1000).round(1)} ms " \
        "earlier, with the connections #{kill.ports}"
    end

    private

    # @return [Boolean] false if it had ended before
    def stop(pid)
      ::Process.kill(:STOP, pid)
      nil until stopped?(pid)
      true
    rescue Errno::ESRCH
      false
    end

    def end_all(pids, ports)
      now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
      @kills << Kill.new(pids, now, ports)
      pids.each do |pid|
        ::Process.kill(:KILL, pid)
      rescue Errno::ESRCH
        nil # It was being ended already.
      end
    end

    def descendants(pid)
      children = Dir["/proc/#{pid}/task/*/children"].flat_map { |path| File.read(path).split }
      children.map(&:to_i).flat_map { |child| [child, *descendants(child)] }
    rescue SystemCallError
      []
    end

    def stopped?(pid)
      Dir["/proc/#{pid}/task/*/stat"].all? do |path|
        %w[T t Z X].include?(File.read(path).rpartition(") ").last[0])
      rescue SystemCallError
        true # This thread has ended.
      end
    end

    def connections(pid) = peers.values_at(*inodes(pid)).compact

    def under_way
      held = Dir["/proc/[0-9]*"].flat_map { |path| inodes(path[/\d+/]) }
      peers.except("0", *held).values.compact
    end

    # Connections in the queues of sockets that only these processes have, such as those of workers
    # that were added on trial. The kernel does not tell which queue a connection is in.
    def unaccepted(pids)
      rows = rows()
      sockets = rows.filter_map { |state, inode| inode if state == LISTEN }
      others = Dir["/proc/[0-9]*"].map { |path| path[/\d+/] } - pids.map(&:to_s)
      own = pids.flat_map { |pid| inodes(pid) } & sockets
      return [] if (own - others.flat_map { |pid| inodes(pid) }).empty?

      @own_queues += 1
      rows.filter_map { |state, inode, port| port if inode == "0" && CONNECTED.include?(state) }
        .tap { |ports| @in_own_queues += ports.size }
    end

    def inodes(pid)
      Dir["/proc/#{pid}/fd/*"].filter_map do |path|
        File.readlink(path)[/\Asocket:\[(\d+)\]\z/, 1]
      rescue SystemCallError
        nil
      end
    end

    # @return [Hash{String => Integer}] the client's port, by the inode of the server's end
    def peers = rows.to_h { |_, inode, port| [inode, port] }

    # @return [Array<Array>] state, inode and the client's port of the server's sockets
    def rows
      File.readlines("/proc/net/tcp").drop(1).filter_map do |line|
        _, local, remote, state, *, inode = line.split.first(10)
        [state, inode, remote[-4..].hex] if @ports.include?(local[-4..].hex)
      end
    end
  end
end
