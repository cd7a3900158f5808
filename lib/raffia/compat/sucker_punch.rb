# frozen_string_literal: true

require_relative "layers"
Raffia::Compat.claim(:sucker_punch)

require "forwardable"
require_relative "../../raffia"
require_relative "sucker_punch/settings"
require_relative "sucker_punch/concurrent_map"
require_relative "sucker_punch/counter"
require_relative "sucker_punch/thread_pool"
require_relative "sucker_punch/job"
require_relative "sucker_punch/delay_queue"
require_relative "sucker_punch/queue"

Raffia::Fork.after_child { SuckerPunch::Queue.forked }
Raffia::Signals.at_exit { SuckerPunch::Queue.shutdown_all }
require_relative "sucker_punch/railtie" if defined?(Rails::Railtie)
