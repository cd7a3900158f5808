# frozen_string_literal: true

module Raffia
  class Actor
    # Actors across processes and Ractors.
    #
    # A {Connection} carries requests by number, so that any number may be open at once. Refs travel
    # as names of actors, and arrive as refs to a {Proxy}, or to the actor itself on its own side.
    #
    # An actor on :processes or :ractors has its core on this side, with mailbox, timers, links and
    # parent. Its object is a {Stub}; the real one is behind a connection, in an {ObjectServer}.
    #
    # @api private
    module Remote
    end
  end
end

require_relative "remote/node"
require_relative "remote/background_threads"
require_relative "remote/reply"
require_relative "remote/error_codec"
require_relative "remote/connection"
require_relative "remote/proxy/links"
require_relative "remote/proxy"
require_relative "remote/request_dispatcher"
require_relative "remote/remote_message"
require_relative "remote/core_proxy"
require_relative "remote/object_server"
require_relative "remote/stub_call"
require_relative "remote/stub_dispatcher"
require_relative "remote/stub"
require_relative "remote/thread_executor"
require_relative "remote/processes"
require_relative "remote/ractor_check"
require_relative "remote/ractors"
require_relative "remote/address"
require_relative "remote/acceptor"
require_relative "remote/listener_dispatcher"
require_relative "remote/connection_pool"
require_relative "remote/named_proxy"
