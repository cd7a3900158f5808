# frozen_string_literal: true

module Raffia
  class Server
    module Listen
      class Listener
        # Finds the program that listens on a port. Linux hides other users' processes.
        #
        # @api private
        module PortHolder
          LISTEN = "0A"
          private_constant :LISTEN

          class << self
            # " by ruby app.rb (process 4711)", or an empty String.
            def of(port)
              sockets = %w[tcp tcp6].flat_map { |table| inodes(table, port) }
              pid = owner(sockets) or return ""

              " by #{command(pid)} (process #{pid})"
            end

            private

            def inodes(table, port)
              ::File.readlines("/proc/net/#{table}").drop(1).filter_map do |line|
                _, local, _, state, *, inode = line.split.first(10)
                inode if state == LISTEN && local.end_with?(format(":%04X", port))
              end
            rescue SystemCallError
              []
            end

            def owner(inodes)
              links = inodes.map { |inode| "socket:[#{inode}]" }
              return if links.empty?

              ::Dir.glob("/proc/[0-9]*/fd/*").find { |file| links.include?(target(file)) }
                &.[](/\d+/)
            end

            def target(file)
              ::File.readlink(file)
            rescue SystemCallError
              nil
            end

            def command(pid)
              ::File.read("/proc/#{pid}/cmdline").tr("\0", " ").strip[0, 80]
            rescue SystemCallError
              "another program"
            end
          end
        end
        private_constant :PortHolder
      end
    end
  end
end
