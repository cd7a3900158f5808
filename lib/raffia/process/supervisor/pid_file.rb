# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Process
    class Supervisor
      # A file that holds our pid as long as we run.
      #
      # @api private
      class PidFile
        # @param path [String, nil] nil: none is wanted
        def initialize(path)
          @path = path && ::File.expand_path(path)
        end

        # @return [void]
        # @raise [ConfigError] when another process that runs is named there already, or the file cannot be written
        def write
          return unless @path

          create
          @owner = ::Process.pid
        rescue Errno::EEXIST
          set_aside
          retry
        rescue SystemCallError => error
          raise ConfigError, "the pid file #{@path} cannot be written (#{error.message}): name another, or make its folder writable"
        end

        # Unless it names somebody else by now.
        # @return [void]
        def remove
          ::File.unlink(@path) if @owner == ::Process.pid && ::File.read(@path).to_i == @owner
        rescue SystemCallError
          nil
        end

        private

        def create
          ::File.open(@path, ::File::WRONLY | ::File::CREAT | ::File::EXCL, 0o644) { |file| file.write("#{::Process.pid}\n") }
        end

        # By renaming it first: of two that start at the same time, only one gets the stale file.
        def set_aside
          pid = ::File.read(@path).to_i
          raise ConfigError, "the pid file #{@path} names process #{pid}, which runs: stop that, or name another file" if runs?(pid)

          aside = "#{@path}.#{::Process.pid}"
          ::File.rename(@path, aside)
          ::File.unlink(aside)
        rescue Errno::ENOENT
          nil # gone meanwhile
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
end
