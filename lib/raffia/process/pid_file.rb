# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module Process
    # A file that holds this process's pid while it runs.
    #
    # @api private
    class PidFile
      def initialize(path)
        @path = path && ::File.expand_path(path)
      end

      # Raises ConfigError when it names another process that runs, or cannot be written.
      def write
        return unless @path

        create
        @owner = ::Process.pid
      rescue Errno::EEXIST
        set_aside
        retry
      rescue SystemCallError => error
        raise ConfigError, "the pid file #{@path} cannot be written (#{error.message}): name " \
          "another, or make its folder writable"
      end

      # Writes it, whatever process it names. A failure leaves the earlier one.
      def replace
        return unless @path

        discard
        fill(temporary_path)
        ::File.rename(temporary_path, @path)
        @owner = ::Process.pid
      rescue SystemCallError
        discard
      end

      def remove
        ::File.unlink(@path) if @owner == ::Process.pid && ::File.read(@path).to_i == @owner
      rescue SystemCallError
        nil
      end

      private

      # Written to a file next to it and then linked: readers never find it without the number.
      def create
        discard
        fill(temporary_path)
        ::File.link(temporary_path, @path)
      rescue Errno::EPERM, Errno::EOPNOTSUPP
        fill(@path) # a file system that has no links
      ensure
        discard
      end

      def fill(path)
        ::File.open(path, ::File::WRONLY | ::File::CREAT | ::File::EXCL, 0o644) do |file|
          file.write("#{::Process.pid}\n")
        end
      end

      # By renaming it first: of two that start at the same time, only one gets the stale file.
      def set_aside
        refuse(::File.read(@path).to_i)
        ::File.rename(@path, temporary_path)
        refuse(::File.read(temporary_path).to_i) { ::File.link(temporary_path, @path) }
      rescue Errno::ENOENT, Errno::EEXIST
        nil # gone meanwhile, or there again
      ensure
        discard
      end

      def refuse(pid)
        return unless runs?(pid)

        yield if block_given?
        raise ConfigError, "the pid file #{@path} names process #{pid}, which runs: stop that, " \
          "or name another file"
      end

      def temporary_path = "#{@path}.#{::Process.pid}"

      def discard
        ::File.unlink(temporary_path)
      rescue SystemCallError
        nil
      end

      # In a container our predecessor may have had our own pid.
      def runs?(pid)
        return false if pid <= 0 || pid == ::Process.pid

        ::Process.kill(0, pid)
        true
      rescue Errno::EPERM
        true
      rescue Errno::ESRCH, RangeError
        false
      end
    end
  end
end
