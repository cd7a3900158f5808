# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    module Listen
      class Listener
        # Opens Unix sockets. Replaces the file of a dead server only.
        #
        # @api private
        module Unix
          class << self
            def open(bind, backlog)
              remove_stale_file(bind)
              server = with_umask(mask(bind)) { UNIXServer.new(bind.path) }
              server.listen(backlog)
              server
            rescue SystemCallError, ArgumentError => error
              raise CannotListen, "cannot listen on #{bind}: #{error.message}"
            end

            # Differs for a later file of the same name.
            def identity(path)
              stat = ::File.stat(path)
              [stat.dev, stat.ino]
            rescue SystemCallError
              nil
            end

            private

            def remove_stale_file(bind)
              return unless ::File.exist?(bind.path)
              unless ::File.socket?(bind.path)
                raise CannotListen, "cannot listen on #{bind}: there is a file of this name, and " \
                  "it is no socket"
              end

              try_connect(bind.path)
              raise CannotListen, "cannot listen on #{bind}: a server answers there already"
            rescue Errno::ECONNREFUSED
              ::File.unlink(bind.path)
            end

            # A server with a full queue raises EAGAIN: it is alive.
            def try_connect(path)
              socket = ::Socket.new(:UNIX, :STREAM)
              socket.connect_nonblock(::Addrinfo.unix(path), exception: false)
            rescue Errno::EAGAIN
              nil
            ensure
              socket&.close
            end

            # The umask at creation, so that the mode holds from the beginning.
            def mask(bind)
              return octal(bind, :umask) if bind.param(:umask)

              0o777 & ~octal(bind, :mode) if bind.param(:mode)
            end

            def octal(bind, name)
              Integer(bind.param(name), 8)
            rescue ArgumentError
              raise ConfigError, "bind #{bind}: #{name} #{bind.param(name)} is no octal number " \
                "such as 0660"
            end

            def with_umask(mask)
              before = ::File.umask(mask) if mask
              yield
            ensure
              ::File.umask(before) if before
            end
          end
        end
        private_constant :Unix
      end
    end
  end
end
