# frozen_string_literal: true

module Celluloid
  # Constants of Celluloid 0.16 by their old names. They are not defined, because each actor's class
  # would have them, too: `Logger` is Ruby's there.
  RENAMED = {Logger: Internals::Logger, Registry: Internals::Registry,
             SupervisionGroup: Supervision::Container,
             PoolManager: Supervision::Container::Pool}.freeze
  private_constant :RENAMED

  # @api private
  def self.const_missing(name) = RENAMED[name] || super
end
