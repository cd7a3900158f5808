# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # The connections of this process to others that listen: one for each address, made when it is
      # wanted.
      #
      # @api private
      class Sockets
        # Seconds that the other side may take to say a word.
        PATIENCE = 10

        # Where the line to one address is, and who waits for it: an address that does not answer
        # keeps nobody from another.
        Place = Struct.new(:lock, :line)
        private_constant :Place

        # @return [Sockets]
        def self.current = RactorLocal.fetch(:raffia_actor_sockets) { new }

        # @return [Line] over a socket
        def self.line(socket, desk)
          guard = Fork.after_child { socket.close }
          pipes = Pipes.new(Process::FramedPipe::Reader.new(socket),
            Process::FramedPipe::Writer.new(socket), nil, "the connection is lost") { guard.remove }
          Line.new(pipes, desk)
        end

        def initialize
          begin_anew
          Fork.after_child { begin_anew }
        end

        # @param address [Address]
        # @return [Line]
        # @raise [SystemCallError, Rejected]
        def line(address)
          place = @lock.synchronize { @places[address.path] ||= Place.new(Thread::Mutex.new) }
          place.lock.synchronize do
            line = place.line
            (line && !line.closed?) ? line : place.line = connect(address)
          end
        end

        private

        def connect(address)
          unless RactorLocal.main?
            raise ConfigError, "a Ractor connects to nobody: get the ref outside, and hand it in"
          end

          line = Sockets.line(address.connect, Desk.new)
          Processes::Beside.call do
            line.serve
          ensure
            line.close
          end
          line.ask(nil, :hello, PublicDesk::PROTOCOL, limit: PATIENCE)
          greeted = line
        ensure
          line&.close unless greeted
        end

        # In a forked child.
        def begin_anew
          @lock = Thread::Mutex.new
          @places = {}
        end
      end
    end
  end
end
