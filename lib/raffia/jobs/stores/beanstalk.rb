# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "../store"
require_relative "beanstalk/address"
require_relative "beanstalk/reservations"
require_relative "beanstalk/refusal"
%w[enqueue claims completion schedule notifier leases recovery key_values inspection administration
  maintenance].each { |group| require_relative "beanstalk/#{group}" }

module Raffia
  module Jobs
    module Stores
      # Takes jobs from beanstalkd, and puts some there: for programs that have one already.
      #
      #     Raffia::Jobs.store = "beanstalk://localhost:11300/mail"
      #
      # The tube of a job is its queue. The tube of the address stands for the queue "default".
      #
      # beanstalkd has no step over two jobs, no search and no values. What needs them raises
      # {Unsupported}: batches, unique jobs, limits, recurring jobs, cursors, the dashboard's lists.
      # A job that fails keeps its bytes, so that only the number of its failures is known later.
      #
      # A reserved job belongs to a connection. Each claim has its own, so that it can be touched
      # and deleted at any time, and goes back to its tube when this process dies.
      class Beanstalk < Store
        # All that is not done: whole groups, such as batches and workflows, and single operations.
        OPERATIONS.each do |group, operations|
          name = group.to_s.split("_").map(&:capitalize).join
          const_set(name, Class.new(Store.const_get(name))) unless const_defined?(name, false)
          Refusal.complete(const_get(name), operations)
        end

        # Options: `map:` gets the bytes of each job that is not Raffia's, and returns its payload.
        def initialize(url, map: nil)
          @address = Address.parse(url)
          @reservations = Reservations.new(@address)
          build_groups(address: @address, reservations: @reservations, map: map)
        end

        # See {Address}.
        def url = @address.url

        # Closes connections: jobs that are still reserved go back to their tubes.
        def close = @reservations.close
      end
    end
  end
end
