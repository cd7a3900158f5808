# frozen_string_literal: true

module ServerFailures
  # Kills workers, and knows which connections each of them had: it is stopped first, then its
  # descriptors are read, then it is killed.
  class Kills
    # A connection is named by the client's port.
    Kill = Struct.new(:pid, :at, :ports)

    attr_reader :kills

    # @param ports [Array<Integer>] at which the server listens
    def initialize(ports)
      @ports = ports
      @kills = []
    end

    # @return [Boolean] false if the worker had ended before
    def kill(pid)
      ::Process.kill(:STOP, pid)
      nil until stopped?(pid)
      @kills << Kill.new(pid, ::Process.clock_gettime(::Process::CLOCK_MONOTONIC), connections(pid))
      ::Process.kill(:KILL, pid)
      true
    rescue SystemCallError
      false
    end

    # Whether the connection of a failed request was one of a killed worker.
    def excuse?(failed)
      @kills.any? do |kill|
        kill.ports.include?(failed[:port]) && kill.at.between?(failed[:opened], failed[:at])
      end
    end

    private

    def stopped?(pid)
      Dir["/proc/#{pid}/task/*/stat"].all? do |path|
        %w[T t Z X].include?(File.read(path).rpartition(") ").last[0])
      end
    end

    def connections(pid)
      inodes = Dir["/proc/#{pid}/fd/*"].filter_map do |path|
        File.readlink(path)[/\Asocket:\[(\d+)\]\z/, 1]
      rescue SystemCallError
        nil
      end
      peers.values_at(*inodes).compact
    end

    # @return [Hash{String => Integer}] the client's port, by the inode of the server's end
    def peers
      File.readlines("/proc/net/tcp").drop(1).to_h do |line|
        _, local, remote, *, inode = line.split.first(10)
        [inode, (remote[-4..].hex if @ports.include?(local[-4..].hex))]
      end
    end
  end
end
