# frozen_string_literal: true

require_relative "layers"
Raffia::Compat.claim(:celluloid)

require_relative "../../raffia"
require_relative "../actor"
require_relative "celluloid/constants"
require_relative "celluloid/errors"
require_relative "celluloid/state"
require_relative "celluloid/internals"
require_relative "celluloid/logger"
require_relative "celluloid/properties"
require_relative "celluloid/functions"
require_relative "celluloid/instance_functions"
require_relative "celluloid/thread_use"
require_relative "celluloid/classes"
require_relative "celluloid/mailbox"
require_relative "celluloid/suspension"
require_relative "celluloid/task"
require_relative "celluloid/call"
require_relative "celluloid/senders_block"
require_relative "celluloid/proxies"
require_relative "celluloid/future"
require_relative "celluloid/condition"
require_relative "celluloid/timer"
require_relative "celluloid/signals"
require_relative "celluloid/task_execution"
require_relative "celluloid/shutdown"
require_relative "celluloid/cell"
require_relative "celluloid/actor"
require_relative "celluloid/links"
require_relative "celluloid/registry"
require_relative "celluloid/system"
require_relative "celluloid/notifications"
require_relative "celluloid/supervision"
require_relative "celluloid/pool_cell"
require_relative "celluloid/pool"
require_relative "celluloid/stack"
require_relative "celluloid/probe"
require_relative "celluloid/incidents"
require_relative "celluloid/fsm"

# Celluloid's interface, served by Raffia's actors: `include Celluloid` and what belongs to it, as
# the gem 0.17 and 0.18 had it. See guides/from_celluloid.md for what is better here and what is
# different.
module Celluloid
  # Constants of Celluloid 0.16 by their old names. They are not defined, because each actor's class
  # would have them, too: `Logger` is Ruby's there.
  RENAMED = {Logger: Internals::Logger, Registry: Internals::Registry,
             SupervisionGroup: Supervision::Container,
             PoolManager: Supervision::Container::Pool}.freeze
  private_constant :RENAMED

  def self.const_missing(name) = RENAMED[name] || super

  # Now, before threads could race for them.
  state
  uuid
end
