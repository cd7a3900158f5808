# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # Opens and connects the TCP sockets of programs.
      #
      # @api private
      class Sockets
        # Linux's SOMAXCONN.
        BACKLOG = 4_096

        def initialize(network)
          @network = network
          @transport = network.transport
          @binder = network.binder
        end

        # The endpoint of a new TCP socket of this class.
        def create(klass)
          @network.world.faults.system_call("#{klass}.open", ::Errno::EMFILE)
          raw = KernelSocket.open
          endpoint = Endpoint.new(@network, @network.current_host, raw)
          endpoint.io = klass.for_fd(raw.release)
          @network.table.add(endpoint)
          endpoint
        end

        # A connected socket. Each address of the name is tried.
        def tcp(klass, host, port, local_host = nil, local_port = nil, timeout: nil)
          addresses = @network.names.resolve!(host || "localhost")
          addresses.each_with_index do |ip, index|
            return connected(klass, ip, port_of(port), local_host, local_port, timeout)
          rescue ::SystemCallError
            raise if index == addresses.size - 1
          end
        end

        # TCPServer.new: a port, or a name and a port.
        def tcp_server(klass, host = nil, port = nil)
          host, port = nil, host if port.nil?
          ip = (host.nil? || host == "") ? "0.0.0.0" : @network.names.resolve!(host).first
          endpoint = create(klass)
          @binder.bind(endpoint, ip, port_of(port))
          listen(endpoint, BACKLOG)
          endpoint.io
        rescue ::SystemCallError
          endpoint&.io&.close
          raise
        end

        def listen(endpoint, backlog)
          @binder.bind(endpoint, "0.0.0.0", 0) unless endpoint.local
          endpoint.listen
          endpoint.raw.listen(backlog.clamp(0, BACKLOG))
        end

        # Starts to connect.
        def connect(endpoint, ip, port)
          reject_second(endpoint)
          host = destination(ip, endpoint.host)
          @binder.connect(endpoint, ip)
          endpoint.remote = Address.new(ip, port)
          endpoint.connecting(@transport.attach(endpoint.raw, @network.buffer))
          @network.connections.add(Connection.new(@network, endpoint, host)).open
        end

        # Connects, and waits for it.
        def connect_and_wait(endpoint, ip, port, timeout = nil)
          connect(endpoint, ip, port)
          unless endpoint.io.wait_writable(timeout)
            raise ::Errno::ETIMEDOUT, "user specified timeout for #{ip}:#{port}"
          end

          raise_error(endpoint)
        end

        # The same as Socket#connect_nonblock.
        def connect_nonblock(endpoint, address, exception)
          case endpoint.state
          when :open then exception ? raise(::Errno::EISCONN, "connect(2)") : 0
          when :failed then raise_error(endpoint)
          else
            connect(endpoint, address.ip, address.port) unless endpoint.state == :connecting
            return :wait_writable unless exception

            raise ::IO::EINPROGRESSWaitWritable, "connect(2) would block"
          end
        end

        def raise_error(endpoint)
          return unless endpoint.state == :failed

          address = endpoint.remote
          raise endpoint.take_error || ::Errno::ECONNABORTED,
            "connect(2) for \"#{address.ip}\" port #{address.port}"
        end

        # Takes services like getaddrinfo.
        def port_of(port)
          return port if port.is_a?(::Integer)

          port.to_s.match?(/\A\d*\z/) ? port.to_i : ::Addrinfo.tcp("127.0.0.1", port).ip_port
        end

        private

        def connected(klass, ip, port, local_host, local_port, timeout)
          endpoint = create(klass)
          if local_host || local_port
            local = local_host ? @network.names.resolve!(local_host).first : "0.0.0.0"
            @binder.bind(endpoint, local, port_of(local_port || 0))
          end
          connect_and_wait(endpoint, ip, port, timeout)
          done = endpoint.io
        ensure
          endpoint&.io&.close unless done
        end

        def reject_second(endpoint)
          case endpoint.state
          when :connecting then raise ::Errno::EALREADY, "connect(2)"
          when :open, :ended then raise ::Errno::EISCONN, "connect(2)"
          when :listening, :failed then raise ::Errno::EINVAL, "connect(2)"
          end
        end

        # The host of an address. Nil: nobody has it, so nobody answers.
        def destination(ip, from)
          host = @network.host_at(ip, from)
          return host if host || ip.start_with?("10.0.0.")

          @network.world.boundary.address(ip)
        end
      end
    end
  end
end
