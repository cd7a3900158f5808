# frozen_string_literal: true

module Raffia
  module Process
    # Tells Ctrl-Z at a terminal, which sends SIGTSTP to the whole process group, from a SIGTSTP to
    # this process alone.
    #
    # @api private
    module SuspendSignal
      # Field of /proc/self/stat, after the name: the foreground process group of the terminal.
      GROUP = 5
      STAT = "/proc/self/stat"
      private_constant :GROUP, :STAT

      module_function

      # Whether this process is in the foreground of a terminal, where Ctrl-Z is typed.
      def here?
        ::File.read(STAT).rpartition(")").last.split[GROUP].to_i == ::Process.getpgrp
      rescue SystemCallError
        $stdin.tty? # no Linux
      end

      # A handler of SIGTSTP for {Signals.with}: Ctrl-Z suspends the group, until the shell
      # continues it. The block is called for a signal to this process alone. Forked processes
      # inherit the handler and do nothing: a slow one would suspend all again.
      def handler
        owner = ::Process.pid
        lambda do |_|
          next unless ::Process.pid == owner

          here? ? ::Process.kill(:STOP, 0) : yield
        end
      end
    end
  end
end
