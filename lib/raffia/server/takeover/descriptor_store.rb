# frozen_string_literal: true

require "socket"
require_relative "../listen/socket_set"

module Raffia
  class Server
    module Takeover
      # Keeps listening sockets in systemd's descriptor store (FDSTORE, see sd_notify(3)), so that
      # connections wait, and none is lost, when the supervisor is killed and started again.
      #
      # @api private
      class DescriptorStore
        PREFIX = "raffia-"
        NAME = /\Araffia-([a-z]+)-(\d+)-(\d+)-(.+)\z/
        # systemd's limit.
        LONGEST = 255
        private_constant :NAME, :LONGEST

        class << self
          # The sockets that systemd hands back. `inherited`: names by descriptor.
          def read(inherited)
            keys = inherited.filter_map { |number, name| (key = key(name)) && [key, number] }
            Listen::SocketSet.new(keys.to_h { |key, number|
              [key, ::Socket.for_fd(number).tap { |socket| socket.close_on_exec = true }]
            }.select { |key, socket| reachable?(key, socket) || socket.close })
          end

          # Those that are not of the store.
          def others(inherited) = inherited.reject { |_, name| key(name) }

          # Colons separate names in LISTEN_FDNAMES.
          def label(key)
            "#{PREFIX}#{key.scope}-#{key.unit}-#{key.position}-" \
              "#{key.bind.gsub("%", "%25").gsub(":", "%3A")}"
          end

          private

          def key(name)
            scope, unit, position, bind = name.match(NAME)&.captures
            return unless scope

            Listen::SocketSet::Key.new(scope, unit.to_i, bind.gsub("%3A", ":").gsub("%25", "%"),
              position.to_i)
          end

          # The file of a Unix socket may have been removed since.
          def reachable?(_place, socket)
            address = socket.local_address
            !address.unix? || ::File.socket?(address.unix_path)
          end
        end

        # `given`: sockets that are there already.
        def initialize(notifier, given)
          @notifier = notifier
          @given = given
          @names = nil
        end

        # `sockets`: by key. Sends what has changed.
        def update(sockets)
          return unless @notifier.active?

          @names ||= @given.taken.map { |key| DescriptorStore.label(key) }
          named = sockets.transform_keys { |key| DescriptorStore.label(key) }
          (@names - named.keys).each { |name| @notifier.unstore(name) }
          named.except(*@names).each { |name, socket| store(name, socket) }
          @names = named.keys
        end

        # Another server has these keys.
        def keep(keys)
          kept = keys.map { |key| DescriptorStore.label(key) }
          (@names.to_a - kept).each { |name| @notifier.unstore(name) }
        end

        private

        # A socket of this name from before is of no use.
        def store(name, socket)
          return if name.bytesize > LONGEST

          @notifier.unstore(name)
          @notifier.store(name, socket)
        end
      end
    end
  end
end
