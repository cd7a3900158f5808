# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/stores/postgres"
require "raffia/jobs/stores/sqlite"

# Dialects of SQL stores.
class SQLStoreTest < Raffia::TestCase
  Stores = Raffia::Jobs::Stores

  UPSERT = "INSERT INTO {counters existing} (name, value) VALUES ($1, $2) {upsert name} " \
    "value = {existing value} + {excluded value} {returning} value"

  def test_upserts_are_words_of_the_dialect
    assert_equal "INSERT INTO raffia_counters AS existing (name, value) VALUES (?1, ?2) " \
      "ON CONFLICT (name) DO UPDATE SET value = existing.value + excluded.value RETURNING value",
      Stores::SQLite::Dialect.new.translate(UPSERT)
    assert_equal "INSERT INTO \"app\".counters AS existing (name, value) VALUES ($1, $2) " \
      "ON CONFLICT (name) DO UPDATE SET value = existing.value + excluded.value RETURNING value",
      Stores::Postgres::Dialect.new("app").text(UPSERT)
  end

  # MySQL's form.
  def test_a_dialect_may_have_other_upserts
    words = {"upsert" => "ON DUPLICATE KEY UPDATE", "excluded" => "VALUES(%s)", "existing" => "%s"}
    dialect = Stores::SQL::Dialect.new(words, "")
    assert_equal "VALUES ($1) ON DUPLICATE KEY UPDATE value = value + VALUES(value)",
      dialect.translate("VALUES ($1) {upsert name} value = {existing value} + {excluded value}")
  end

  def test_words_of_sqlite
    text = Stores::SQLite::Dialect.new.translate("id {ids $1} {skip_locked}{contains payload $12}")
    assert_equal "id IN (SELECT value FROM json_each(?1)) instr(payload, ?12) > 0", text
  end
end
