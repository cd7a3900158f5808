# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

# The page of the stores tells what each of them can do, as the contract and the classes have it.
class JobsStoreDocumentationTest < Raffia::TestCase
  PAGE = File.expand_path("../../../../docs/jobs_stores.md", __dir__)
  STORES = {"memory" => :Memory, "SQLite" => :SQLite, "Redis, Valkey" => :Redis,
            "PostgreSQL" => :Postgres, "MariaDB, MySQL" => :MySQL, "beanstalkd" => :Beanstalk}.freeze

  def setup
    super
    STORES.each_value { |name| require "raffia/jobs/stores/#{name.to_s.downcase}" }
  end

  def test_the_table_is_that_of_the_contract
    assert(page.include?(table), "the table should be:\n#{table}")
  end

  def test_transactions
    row = page[/^\| jobs in your transaction \|.*/]
    can = STORES.values.drop(1).take(4).map do |name|
      (store(name).instance_method(:within).owner == Raffia::Jobs::Store) ? "no" : "yes"
    end
    assert_equal(["no", *can], row.split("|").map(&:strip).drop(2))
  end

  def test_tables_in_the_database
    names = page[/^\| table \| content \|.*?\n\n/m].scan(/`(\w+)`(?=[^|]*\| )/).flatten
    assert_equal Raffia::Jobs::Stores::SQL::Schema::TABLES.keys.sort, names.sort
  end

  private

  def page = File.read(PAGE, encoding: "UTF-8")

  def store(name) = Raffia::Jobs::Stores.const_get(name)

  def table
    rows = Raffia::Jobs::Store::OPERATIONS.map do |group, operations|
      ["`#{group}`", *STORES.values.map { |name| cell(store(name), group, operations) }]
    end
    [["group", *STORES.keys], ["---"] * (STORES.size + 1), *rows]
      .map { |row| "| #{row.join(" | ")} |\n" }.join.gsub("| --- ", "|---").gsub("--- |", "---|")
  end

  # "yes", "no", or the operations that the store has or lacks.
  def cell(store, group, operations)
    group = store.const_get(group.to_s.split("_").map(&:capitalize).join)
    missing, done = operations.partition do |operation|
      group.instance_method(operation).source_location.first.end_with?("/refusal.rb")
    end
    return "yes" if missing.empty?
    return "no" if done.empty?

    (done.size > missing.size) ? "without #{names(missing)}" : "only #{names(done)}"
  end

  def names(operations) = operations.map { |operation| "`#{operation}`" }.join(", ")
end
