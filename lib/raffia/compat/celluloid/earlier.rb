# frozen_string_literal: true

module Celluloid
  # Names that Celluloid 0.16 had, and 0.17 still knew. They are no constants, which every actor's
  # class would have, too: `Logger` is Ruby's there.
  EARLIER = {Logger: Internals::Logger, Registry: Internals::Registry,
             SupervisionGroup: Supervision::Container,
             PoolManager: Supervision::Container::Pool}.freeze
  private_constant :EARLIER

  # @api private
  def self.const_missing(name) = EARLIER[name] || super
end
