# frozen_string_literal: true

require "support/jobs_mysql"
require_relative "rails_case"

module Raffia
  # An application whose jobs are kept in its own MariaDB: they are part of its transactions.
  class JobsRailsMySQLTest < JobsRailsCase
    def setup
      if Gem::Specification.find_all_by_name("trilogy").empty?
        skip "the gem trilogy is not installed (bin/setup --drivers)"
      end
      @server = TestSupport::MariaDB.running
      TestSupport::JobsMySQL.database(@server, "raffia_rails", "DROP DATABASE IF EXISTS")
      TestSupport::JobsMySQL.database(@server, "raffia_rails")
      super
    rescue TestSupport::Server::Missing => error
      skip error.message
    end

    def url = "mysql://root@127.0.0.1:#{@server.port}/raffia_rails"

    def test_what_is_enqueued_in_a_transaction_is_part_of_it
      settings = {"DATABASE_URL" => "trilogy://root@127.0.0.1:#{@server.port}/raffia_rails",
                  "SETTINGS" => "config.raffia.store = '#{url}'; config.raffia.enqueue = " \
                    ":in_transaction"}
      out = app(<<~RUBY, env: settings)
        ActiveRecord::Schema.verbose = false
        ActiveRecord::Schema.define do
          create_table(:people, force: true) { |table| table.string(:name) }
        end
        other = Raffia::Jobs::Store.open("#{url}")
        seen = []
        note = lambda do
          inside = Raffia::Jobs.transaction(Person.connection) { Raffia::Jobs.store.counts[:queue] }
          seen << [inside, other.counts[:queue]]
        end
        Person.transaction do
          job = WordJob.perform_later("a")
          seen << job.provider_job_id.size
          ActiveJob.perform_all_later(WordJob.new("b"), WordJob.new("c"))
          note.call
        end
        note.call
        Person.transaction do
          Person.create!(name: "Ada")
          note.call
          raise ActiveRecord::Rollback
        end
        note.call
        WordJob.perform_later("outside")
        note.call
        puts JSON.generate(seen)
      RUBY
      assert_equal [24, [3, 0], [3, 3], [4, 3], [3, 3], [4, 4]], JSON.parse(out.lines.last)
      rails_work(env: settings) do
        assert_equal %w[a b c outside], await_said("WordJob", count: 4).map { |line| line[1] }.sort
        await_counts(queue: 0, running: 0)
      end
    end
  end
end
