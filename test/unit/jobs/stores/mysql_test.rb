# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/stores/mysql"

# Parts of the MySQL store that need no server. The rest is in test/contract and test/integration.
class MySQLStoreTest < Raffia::TestCase
  Jobs = Raffia::Jobs
  MySQL = Jobs::Stores::MySQL

  # Notes statements instead of sending them.
  class Notes
    attr_reader :texts

    def initialize(*answers)
      @answers = answers
      @texts = []
    end

    def escape(text) = text.gsub("'", "\\\\'")

    def literal(value) = MySQL::Literal.of(value, self)

    def query(text) = (@texts << text) && @answers.shift

    def change(text) = (@texts << text) && 1
  end

  def address(...) = MySQL::Address.parse(...)

  def dialect = @dialect ||= MySQL::Dialect.new("raffia_")

  def test_addresses
    found = address("mysql://app:se%40cret@db.example.org:6000/shop?prefix=jobs_&pool=7&look=2.5" \
      "&read_timeout=3&ssl_mode=required")
    assert_equal ["jobs_", 7, 2.5, "required"],
      [found.prefix, found.pool, found.look, found.ssl_mode]
    assert_equal ["app", "se@cret", "db.example.org", 6000, "shop", 3.0],
      found.connection.values_at(:username, :password, :host, :port, :database, :read_timeout)
    found = address("trilogy:///shop?socket=/run/mysqld/mysqld.sock", pool: 2)
    assert_equal ["/run/mysqld/mysqld.sock", nil, "shop", 2],
      [*found.connection.values_at(:socket, :host, :database), found.pool]
    assert_equal ["raffia_", 5, 1.0, "127.0.0.1", 3306], address("mysql:///d").then { |default|
      [default.prefix, default.pool, default.look, *default.connection.values_at(:host, :port)]
    }
  end

  def test_no_password_is_shown
    found = address("mysql://app:s%40cret@h/d?pool=2")
    assert_equal "mysql://app@h/d?pool=2", found.url
    refute_match(/cret/, found.inspect)
    %w[mysql://app:se@cret@h/d mysql://app:se/cret@h/d mysql:app mysql://h:port/d
      mysql://app:cret@h].each do |given|
      error = assert_raises(Raffia::ConfigError, given) { address(given) }
      assert_match(/cannot be read: write it as/, error.message)
      refute_match(/cret/, error.message)
    end
  end

  def test_invalid_options_are_refused
    {
      "pool=0" => /pool of the mysql store must be a number from 1 up, not "0"/,
      "prefix=Jobs" => /must be a name/, "prefix=a%60b" => /must be a name/,
      "look=0" => /must be seconds/, "ssl_mode=some" => /must be one of disabled, /,
      "socket=here" => /must be the path of a Unix socket/,
      "size=3" => /has no option size: it has socket, prefix, pool/
    }.each { |query, message| assert_refused(message) { address("mysql://h/d?#{query}") } }
  end

  def test_schemes
    %w[mysql mariadb trilogy].each do |scheme|
      assert_equal "MySQL", Jobs::Store::Address.store("#{scheme}://h/d")
    end
  end

  def test_literals
    {
      7 => "7", 1.5 => "1.5", nil => "NULL", "it's" => "'it\\'s'", [] => "NULL",
      [1, "a"] => "1,'a'", "ä" => "_utf8mb4'ä'".b, "\xFF".b => "_binary'\xFF'".b
    }.each { |value, text| assert_equal text, Notes.new.literal(value) }
    assert_raises(ArgumentError) { Notes.new.literal(:symbol) }
  end

  def test_words_of_statements
    assert_equal "INSERT INTO raffia_facts (`key`, value) VALUES ($1, $2) ON DUPLICATE KEY " \
      "UPDATE value = VALUES(value)", dialect.text("INSERT INTO {facts existing} (key, value) VALUES " \
      "($1, $2) {upsert key} value = {excluded value}")
    assert_equal "ON DUPLICATE KEY UPDATE flow = IF(LAST_INSERT_ID(1) = 1, flow, flow)",
      dialect.text("{ignore flow,place}")
    assert_equal "LOCATE($3, payload) > 0", dialect.text("{contains payload $3}")
  end

  # MySQL has no RETURNING: see {RowSelection}.
  def test_changes_lock_rows_by_their_keys
    notes = Notes.new([[30], [4]], [["b", 30], ["a", 4]])
    rows = dialect.statement("UPDATE {jobs} SET at = $2 WHERE batch = $1 {returning} jid")
      .rows(notes, ["x", 5])
    assert_equal [["b"], ["a"]], rows
    list = "JSON_TABLE('[4,30]', '$[*]' COLUMNS (wanted BIGINT PATH '$')) AS list STRAIGHT_JOIN " \
      "raffia_jobs FORCE INDEX (PRIMARY) ON raffia_jobs.id = list.wanted"
    assert_equal ["SELECT id FROM raffia_jobs WHERE batch = 'x'",
      "SELECT jid, raffia_jobs.id FROM #{list} WHERE batch = 'x' FOR UPDATE",
      "UPDATE #{list} SET at = 5 "], notes.texts
  end

  def test_changes_of_one_row_need_no_list
    notes = Notes.new
    dialect.statement("DELETE FROM {jobs} WHERE id = $1 AND token = $2").run(notes, [3, 9])
    assert_equal ["DELETE FROM raffia_jobs WHERE id = 3 AND (token = 9)"], notes.texts
  end

  def test_nothing_is_locked_when_there_is_nothing
    notes = Notes.new([])
    assert_empty dialect.statement("SELECT id FROM {jobs} WHERE token = $1 ORDER BY place {lock}")
      .rows(notes, [3])
    assert_equal ["SELECT id FROM raffia_jobs WHERE token = 3"], notes.texts
  end

  # A column or index that the other SQL stores get must come here, too.
  def test_indexes_are_those_of_the_other_stores
    ours = MySQL::Tables::INDEXES.values.flat_map(&:keys)
    assert_empty Jobs::Stores::SQL::Schema::INDEXES.keys - ours - %w[dead blocked paused],
      "`due` serves these, and `fair`"
    assert_equal({"jobs" => "id", "uniques" => "`key`", "leases" => "token"},
      MySQL::Tables.keys.slice("jobs", "uniques", "leases"))
  end

  def test_locks_are_taken_in_one_order
    slots = dialect.slots(%w[limit:b limit:a statistics limit:b])
    assert_equal slots.sort, slots
    assert_equal 3, slots.size
    assert_operator slots.max, :<, MySQL::Dialect::KINDS.size * MySQL::Dialect::SLOTS
  end

  def test_errors_come_with_advice
    MySQL::Driver.load
    {
      1045 => [Jobs::StoreRefused, /check user and password/],
      1049 => [Jobs::StoreRefused, /CREATE DATABASE/],
      1142 => [Jobs::StoreUnavailable, /GRANT SELECT/],
      1213 => [Jobs::Stores::SQL::Failures::Conflict, /Denied/],
      1205 => [Jobs::Stores::SQL::Failures::Conflict, /Denied/],
      1146 => [Jobs::Stores::SQL::Failures::NoTables, /made again/],
      1290 => [Jobs::StoreUnavailable, /connect to the primary/]
    }.each do |code, (kind, message)|
      error = MySQL::Failures.translate(Trilogy::ProtocolError.new("Denied", code),
        address("mysql://app:secret@h/d"))
      assert_instance_of kind, error
      assert_match(message, error.message)
      refute_match(/secret/, error.message)
    end
  rescue Raffia::MissingDependency => error
    skip error.message
  end

  def test_old_servers_are_refused
    MySQL::Session.check(address("mysql://h/d"), "10.11.6-MariaDB", [10, 8])
    assert_raises(Jobs::StoreRefused) do
      MySQL::Session.check(address("mysql://h/d"), "10.6.3-MariaDB", [10, 8])
    end
  end
end
