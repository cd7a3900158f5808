# frozen_string_literal: true

# All that every component may use. Needs the stdlib only, and changes nothing in the process.
require_relative "base/version"
require_relative "base/error"
require_relative "base/clock"
require_relative "base/config"
require_relative "base/ractor_local"
require_relative "base/log"
require_relative "base/instrument"
require_relative "base/fork"
require_relative "base/signals"
require_relative "base/optional"
