# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/stores/postgres"

# Parts of the PostgreSQL store that need no server. The rest is in test/contract and
# test/integration.
class PostgresStoreTest < Raffia::TestCase
  Postgres = Raffia::Jobs::Stores::Postgres

  def address(...) = Postgres::Address.parse(...)

  def test_options_of_the_store_are_not_sent_to_libpq
    found = address("postgres://app:secret@db.example.org:6000/shop" \
      "?schema=jobs&pool=7&sslmode=require&look=2.5&listen=off")
    assert_equal ["jobs", 7, :off, 2.5], [found.schema, found.pool, found.listen, found.look]
    assert_match(%r{\Apostgres://app:secret@db.example.org:6000/shop\?}, found.conninfo)
    assert_match(/[?&]sslmode=require(&|\z)/, found.conninfo)
    refute_match(/schema|pool=|listen|look/, found.conninfo)
  end

  def test_options_have_defaults
    found = address("postgresql:///app")
    assert_equal ["raffia", 5, :auto, nil], [found.schema, found.pool, found.listen, found.look]
    assert_match(/connect_timeout=5/, found.conninfo)
    assert_match(/[?&]connect_timeout=9(&|\z)/,
      address("postgres://h/d?connect_timeout=9").conninfo)
    refute_match(/connect_timeout=5/, address("postgres://h/d?connect_timeout=9").conninfo)
  end

  def test_options_win_over_the_address
    found = address("postgres://h/d?pool=3&schema=a", pool: 9, listen: :on)
    assert_equal [9, "a", :on], [found.pool, found.schema, found.listen]
  end

  def test_no_password_is_shown
    {
      "postgres://app:secret@h/d" => "postgres://app@h/d",
      "postgres://app:s%40cret@h1:1,h2:2/d?sslmode=require" =>
        "postgres://app@h1:1,h2:2/d?sslmode=require",
      "postgres://app@[::1]:6000/d?password=secret&pool=2" => "postgres://app@[::1]:6000/d?pool=2",
      "postgres:///d" => "postgres:///d"
    }.each do |given, shown|
      assert_equal shown, address(given).url
      refute_match(/secret|cret/, address(given).inspect)
    end
  end

  # libpq would take a part of the password for a host, and show it.
  def test_passwords_that_libpq_would_misread_are_refused_without_being_shown
    %w[postgres://app:se@cret@h/d postgres://app:se/cret@h/d postgres://app:secret:x@h/d
      postgres://app:se?cret@h/d postgres:app postgres://h:port/d].each do |given|
      error = assert_raises(Raffia::ConfigError, given) { address(given) }
      assert_match(/cannot be read: write it as/, error.message)
      refute_match(/cret/, error.message)
    end
  end

  def test_invalid_options_are_refused
    {
      "pool=0" => /pool of the postgres store must be a number from 1 up, not "0"/,
      "schema=Jobs" => /must be a name/, "schema=a%22b" => /must be a name/,
      "listen=maybe" => /on, off or auto/, "look=0" => /must be seconds/,
      "look=soon" => /must be seconds/
    }.each { |query, message| assert_refused(message) { address("postgres://h/d?#{query}") } }
    assert_refused(/has no option size: it has schema, pool, listen, look/) do
      address("postgres://h/d", size: 3)
    end
  end

  def test_words_of_statements
    dialect = Postgres::Dialect.new("app")
    assert_equal 'SELECT 1 FROM "app".jobs WHERE id = ANY($1::bigint[]) FOR UPDATE SKIP LOCKED',
      dialect.text("SELECT 1 FROM {jobs} WHERE id {ids $1} {skip_locked}")
    assert_equal "position($2::bytea IN payload) > 0", dialect.text("{contains payload $2}")
    assert_same dialect.text("{jobs}"), dialect.text("{jobs}")
  end

  def test_names_of_channels_fit_the_servers_limit
    dialect = Postgres::Dialect.new("app")
    assert_equal ["raffia/app/mail"], dialect.channels(["mail"])
    long = dialect.channels(["q" * 200, "#{"q" * 200}w"])
    assert_equal [63, 63], long.map(&:bytesize)
    refute_equal(*long)
  end

  Jobs = Raffia::Jobs

  def lease(ttl: 60) = Jobs::Lease.new(identity: "a:1:b", token: 1, ttl: ttl)

  def claim(id) = Jobs::Claim.new(lease, [id, id], "default", "{}")

  # A database whose transactions are the block.
  class Transactions
    attr_reader :rows_now

    def initialize(*rows)
      @rows_now = rows
    end

    def write(**) = yield(self)

    alias_method :read, :write

    def rows(*) = @rows_now
  end

  def test_claims_of_a_lost_answer_go_back_before_the_next_claim
    returned = []
    database = Transactions.new([1, 1], [2, 2])
    held = Postgres::HeldClaims.new(database) { |_, refs, token| returned << [refs, token] }
    held.track(lease) { [claim(1)] }
    assert_raises(IOError) { held.track(lease) { raise IOError } }
    assert_empty returned
    held.track(lease) { [claim(3)] }
    assert_equal [[[[2, 2]], 1]], returned
    held.track(lease) { [] }
    assert_equal 1, returned.size
  end

  # The end of a claim on a database that answers each query with these rows.
  def complete(claim, operation, *rows, &)
    database = Transactions.new(*rows)
    parts = {database: database, held: Postgres::HeldClaims.new(database)}
    Postgres::Completion.new(parts).send(:complete, [claim], operation, &)
  end

  def test_the_end_of_a_claim_is_repeated_until_the_server_is_back
    tries = 0
    operation = lambda do
      ((tries += 1) < 2) ? raise(Jobs::StoreUnavailable) : false
    end
    assert_equal :verified, complete(claim(1), operation, [1]) { |_, done| done || :verified }
    assert_equal 2, tries
    tries = 0
    assert_equal false, complete(claim(1), operation) { flunk }
  end

  def test_a_retry_ends_with_the_lease
    brief = Jobs::Claim.new(lease(ttl: 0), [1, 1], "default", "{}")
    assert_raises(Jobs::StoreUnavailable) do
      complete(brief, -> { raise Jobs::StoreUnavailable }) { flunk }
    end
  end
end
