# frozen_string_literal: true

require "support/certificates"
require "support/jobs_case"
require "support/jobs_mysql"

module TestSupport
  # With a certificate for localhost of a CA of its own.
  class TLSMariaDB < MariaDB
    # Folder of the CA.
    attr_reader :certificates

    private

    def prepare
      @certificates = Certificates.new(@dir)
      @pair = @certificates.server("localhost")
      FileUtils.chown(NOBODY, nil, @pair) if root?
    end

    def command = super + ["--ssl-cert=#{@pair[0]}", "--ssl-key=#{@pair[1]}"]
  end
end

# The MySQL store over TLS, by certificates of a CA of our own.
class JobsMySQLTLSTest < Raffia::TestCase
  def setup
    super
    Raffia::Jobs::Stores::MySQL::Driver.load
    @server = TestSupport::TLSMariaDB.running
    @dir = Dir.mktmpdir("raffia-tls")
    ["DROP DATABASE IF EXISTS", "CREATE DATABASE"].each do |change|
      TestSupport::JobsMySQL.database(@server, "tls", change)
    end
    @stores = []
  rescue TestSupport::Server::Missing, Raffia::MissingDependency => error
    skip error.message
  end

  def teardown
    @stores&.each(&:close)
    FileUtils.remove_entry(@dir) if @dir
    super
  end

  def open_store(host: "127.0.0.1", port: @server.port, **options)
    query = URI.encode_www_form(options)
    Raffia::Jobs::Store.open("mysql://root@#{host}:#{port}/tls?#{query}")
      .tap { |store| @stores << store }
  end

  def cipher(store)
    database = store.instance_variable_get(:@inspection).instance_variable_get(:@database)
    database.read { |db| db.rows("SHOW STATUS LIKE 'Ssl_cipher'") }.dig(0, 1)
  end

  def ca = @server.certificates.ca

  def test_without_a_mode_nothing_is_encrypted
    assert_equal "", cipher(open_store)
  end

  def test_modes
    {{ssl_mode: "preferred"} => "127.0.0.1", {ssl_mode: "required"} => "127.0.0.1",
     {ssl_mode: "verify_ca", ssl_ca: ca} => "127.0.0.1",
     {ssl_mode: "verify_identity", ssl_ca: ca} => "localhost"}.each do |options, host|
      store = open_store(host: host, **options)
      refute_empty cipher(store), options.inspect
      store.enqueue([draft])
    end
    assert_equal 4, @stores.first.counts[:queue]
    assert_equal 4, @stores.last.claim(@stores.last.enroll("test:1:a", {}), ["default"], 9).size
  end

  # A worker does not wait for a server that it refuses.
  def test_a_wrong_certificate_is_refused
    other = TestSupport::Certificates.new(@dir).ca
    [{ssl_mode: "verify_ca"}, {ssl_mode: "verify_ca", ssl_ca: other},
      {ssl_mode: "verify_identity", ssl_ca: ca}].each do |options| # its name is localhost
      error = assert_raises(Raffia::Jobs::StoreRefused, options.inspect) { open_store(**options).counts }
      assert_match(/no TLS connection, by .*compare the server's certificate with ssl_ca/,
        error.message)
    end
  end

  def test_a_server_without_tls_is_refused
    plain = TestSupport::MariaDB.running.port
    TestSupport::JobsMySQL.database(TestSupport::MariaDB.running, "tls")
    error = assert_raises(Raffia::Jobs::StoreRefused) do
      open_store(port: plain, ssl_mode: "required").counts
    end
    assert_match(/whether the server has TLS at all/, error.message)
    assert_equal "", cipher(open_store(port: plain, ssl_mode: "preferred"))
  end

  def test_files_that_are_not_used_or_not_there
    {{ssl_ca: ca} => /ssl_ca .* has no effect without ssl_mode=verify_ca or verify_identity/,
     {ssl_ca: ca, ssl_mode: "required"} => /has no effect without/,
     {ssl_cert: ca} => /ssl_cert .* without ssl_mode=preferred or required/,
     {ssl_ca: "/none.pem", ssl_mode: "verify_ca"} => %r{/none\.pem cannot be read}}
      .each do |options, message|
      assert_match(message, assert_raises(Raffia::ConfigError) { open_store(**options) }.message)
    end
  end

  def draft
    item = {"class" => "MailJob", "args" => [], "queue" => "default", "retry" => true,
            "jid" => Raffia::Jobs::Payload.id, "created_at" => Raffia::Jobs::Payload.now,
            "enqueued_at" => Raffia::Jobs::Payload.now}
    Raffia::Jobs::Draft.of(item)
  end
end
