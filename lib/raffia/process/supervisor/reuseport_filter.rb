# frozen_string_literal: true

require "socket"

module Raffia
  module Process
    class Supervisor
      # Chooses which sockets of one port (SO_REUSEPORT) get new connections, by a program for the
      # kernel, which picks one of the live ones at random.
      #
      # The kernel numbers the sockets in the order in which they began to listen, and slots come
      # and go at the end only. So the numbers are known, unless another program listens on that
      # port.
      #
      # @api private
      module ReuseportFilter
        ATTACH, DETACH = 51, 68 # SO_ATTACH_REUSEPORT_CBPF, SO_DETACH_REUSEPORT_BPF
        # Classic BPF: load a word, modulo, jump if equal, return.
        LOAD, MODULO, EQUAL, RETURN = 0x20, 0x94, 0x15, 0x06
        # Where a random number is loaded from (SKF_AD_OFF + SKF_AD_RANDOM).
        RANDOM = 0xffff_f038
        # Where TCP_INFO has the length of a listener's queue (in tcpi_unacked).
        QUEUED = 24

        def self.apply(io, live)
          live.empty? ? detach(io) : attach(io, live)
          true
        rescue SystemCallError
          false
        end

        # Those that share a port, each at its number.
        def self.groups(slots)
          slots.flatten.uniq.select { |io| group?(io) }
            .group_by { |io| io.local_address.to_sockaddr }.values
        end

        def self.group?(io)
          io.respond_to?(:getsockopt) && io.local_address.ip? &&
            io.getsockopt(:SOCKET, :REUSEPORT).int.positive? &&
            io.getsockopt(:SOCKET, :TYPE).int == Socket::SOCK_STREAM
        rescue SystemCallError, NameError
          false
        end

        def self.queued(io)
          io.getsockopt(:TCP, Socket::TCP_INFO).data.unpack1("L", offset: QUEUED)
        end

        def self.attach(io, live)
          code = program(live).map { |instruction| instruction.pack("SCCL") }.join
          # struct sock_fprog: how many instructions of eight bytes, and where they are.
          io.setsockopt(Socket::SOL_SOCKET, ATTACH,
            [code.bytesize / 8].pack("Sx6") + [code].pack("P"))
        end
        private_class_method :attach

        def self.detach(io)
          io.setsockopt(Socket::SOL_SOCKET, DETACH, 0)
        rescue Errno::ENOENT
          nil # it had none
        end
        private_class_method :detach

        def self.program(live)
          choices = live.each_with_index.flat_map do |number, at|
            [[EQUAL, 0, 1, at], [RETURN, 0, 0, number]]
          end
          [[LOAD, 0, 0, RANDOM], [MODULO, 0, 0, live.size], *choices, [RETURN, 0, 0, live.last]]
        end
        private_class_method :program
      end
    end
  end
end
