# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # A store has an object for each group, which does all operations of the group.
  module Groups
    include Case

    # Operations that the contract does by others.
    DONE = %i[countable expired flow_counts workflow_counts].freeze

    def test_each_group_is_an_object_with_the_operations_of_the_contract
      Jobs::Store::OPERATIONS.each do |name, operations|
        contract = Jobs::Store.const_get(name.to_s.split("_").map(&:capitalize).join)
        group = store.instance_variable_get(:"@#{name}")
        assert_kind_of(contract, group)
        assert_equal(operations.sort, contract.public_instance_methods(false).sort)
        (operations - DONE).each do |operation|
          refute_equal(contract, group.method(operation).owner, "#{group.class} lacks #{operation}")
          assert_equal(contract.instance_method(operation).parameters,
            group.method(operation).parameters, "#{group.class}##{operation}")
        end
      end
    end
  end
end
