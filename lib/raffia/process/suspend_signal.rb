# frozen_string_literal: true

module Raffia
  module Process
    # Tells Ctrl-Z at a terminal, which sends SIGTSTP to the whole process group, from a SIGTSTP
    # that was sent to this process alone.
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

      # A handler of SIGTSTP: Ctrl-Z suspends the group, as by default, until the shell continues
      # it. Processes that are forked from this one inherit the handler, and leave it to this one:
      # else one that is slow would suspend all again after that. The block: when it was sent to
      # this process alone. For {Signals.with}.
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
