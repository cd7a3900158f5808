# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # The options of a simulated TCP socket that the kernel's socket under it does not have.
      #
      # @api private
      class Options
        IP_LEVELS = [::Socket::IPPROTO_TCP, ::Socket::IPPROTO_IP, ::Socket::IPPROTO_IPV6].freeze
        KEPT = [::Socket::SO_LINGER, ::Socket::SO_KEEPALIVE].freeze
        ERROR = [::Socket::SOL_SOCKET, ::Socket::SO_ERROR].freeze
        INFO = [::Socket::IPPROTO_TCP, ::Socket::TCP_INFO].freeze
        # Linux's TCP_ESTABLISHED and TCP_CLOSE, and the size of struct tcp_info.
        ESTABLISHED = 1
        CLOSED = 7
        INFO_SIZE = 232
        private_constant :IP_LEVELS, :KEPT, :ERROR, :INFO, :ESTABLISHED, :CLOSED, :INFO_SIZE

        def initialize(endpoint)
          @endpoint = endpoint
          @values = {}
        end

        # The same as BasicSocket#setsockopt. False for those of the kernel's socket.
        def set(level, name = nil, value = nil)
          option = level.is_a?(::Socket::Option) ? level : option(level, name, value)
          return false unless ours?(option.level, option.optname)

          @values[[option.level, option.optname]] = option
          true
        end

        # The same as BasicSocket#getsockopt; nil for those of the kernel's socket.
        def get(level, name)
          wanted = option(level, name, 0)
          return error if [wanted.level, wanted.optname] == ERROR
          return unless ours?(wanted.level, wanted.optname)

          @values[[wanted.level, wanted.optname]] || default(wanted)
        end

        # Whether closing the socket sends a RST.
        def abort_on_close?
          linger = @values[[::Socket::SOL_SOCKET, ::Socket::SO_LINGER]]
          linger && linger.unpack("ii") == [1, 0]
        end

        private

        def option(level, name, value)
          value = [value ? 1 : 0].pack("i") if value == true || value == false || value.nil?
          value = [value].pack("i") if value.is_a?(::Integer)
          ::Socket::Option.new(:INET, level, name, value)
        end

        def ours?(level, name)
          IP_LEVELS.include?(level) || (level == ::Socket::SOL_SOCKET && KEPT.include?(name))
        end

        def error
          ::Socket::Option.int(:INET, :SOCKET, :ERROR, @endpoint.take_error&.const_get(:Errno) || 0)
        end

        # TCP_INFO begins with the state.
        def default(wanted)
          return wanted unless [wanted.level, wanted.optname] == INFO

          state = (@endpoint.state == :open) ? ESTABLISHED : CLOSED
          ::Socket::Option.new(:INET, :TCP, :INFO, [state].pack("C").ljust(INFO_SIZE, "\0"))
        end
      end
    end
  end
end
