# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tmpdir"
require "test_helper"

# Errors of ActiveRecord hold their connection pool, which no process can be sent. In a process of
# its own: ActiveRecord changes much.
class PoolActiveRecordTest < Raffia::TestCase
  PROGRAM = <<~RUBY
    require "raffia"
    require "active_record"
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ARGV[0])
    ActiveRecord::Schema.verbose = false
    ActiveRecord::Schema.define do
      create_table(:items) { |t| t.integer :n, null: false; t.index :n, unique: true }
    end
    class Item < ActiveRecord::Base
      validates :n, numericality: {less_than: 100}
    end
    Item.create!(n: 1)

    works = {
      unique: ->(_) { Item.create!(n: 1) }, null: ->(_) { Item.new.save!(validate: false) },
      invalid: ->(_) { Item.create!(n: 1000) }, missing: ->(_) { Item.find(77) }
    }
    works.each do |name, work|
      errors = %i[threads processes].map do |on|
        Raffia.map([1], on: on, workers: 1, &work)
      rescue => error
        [error.class, error.message, error.cause.class, error.try(:sql), error.backtrace.first]
      end
      puts "\#{name}: \#{errors.first.first} \#{(errors.uniq.size == 1) ? "alike" : errors.inspect}"
    end
    again = lambda do |_|
      Item.create!(n: File.write(ARGV[1], "x", mode: "a") && File.size(ARGV[1]).clamp(1, 2)).n
    end
    limits = {retries: 2, backoff: 0, retry_on: ActiveRecord::RecordNotUnique}
    puts Raffia.map([1], on: :processes, **limits, &again).inspect
  RUBY

  def test_errors_of_active_record_arrive_as_they_are
    Dir.mktmpdir do |folder|
      output, status = Open3.capture2e(RbConfig.ruby, "-W0", "-I",
        File.expand_path("../../../lib", __dir__), "-e", PROGRAM,
        File.join(folder, "a.db"), File.join(folder, "attempts"))
      assert_predicate status, :success?, output
      assert_equal <<~TEXT, output
        unique: ActiveRecord::RecordNotUnique alike
        null: ActiveRecord::NotNullViolation alike
        invalid: ActiveRecord::RecordInvalid alike
        missing: ActiveRecord::RecordNotFound alike
        [2]
      TEXT
    end
  end
end
