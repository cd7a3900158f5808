# frozen_string_literal: true

module Raffia
  class Actor
    # Actors across the borders of processes and Ractors. A {Line} joins two sides, each of which
    # asks the other for things by number, so any number of questions can be open at once. On it
    # refs travel as names of actors; what arrives is a ref whose core is {Distant}, or the actor
    # itself when it has come home.
    #
    # An actor on :processes or :ractors is a core of this side like all others, with its mailbox,
    # timers, links and parent; but the object that it asks is a {Stub}, and the real one lives
    # behind a line, in a {Service}.
    #
    # @api private
    module Remote
    end
  end
end

require_relative "remote/node"
require_relative "remote/answer"
require_relative "remote/line"
require_relative "remote/distant/bonds"
require_relative "remote/distant"
require_relative "remote/desk"
require_relative "remote/pipes"
require_relative "remote/task"
require_relative "remote/asked"
require_relative "remote/inner"
require_relative "remote/service"
require_relative "remote/conversation"
require_relative "remote/stub_desk"
require_relative "remote/stub"
require_relative "remote/place"
require_relative "remote/processes"
require_relative "remote/ractor_check"
require_relative "remote/ractors"
require_relative "remote/address"
require_relative "remote/acceptor"
require_relative "remote/sockets"
require_relative "remote/public_desk"
require_relative "remote/named"
require_relative "remote/listener"
