# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/jobs"

class JobsStoreAddressTest < Raffia::TestCase
  Store = Raffia::Jobs::Store

  def test_people_see_no_secret_of_an_address
    {
      "redis://:s3cret@h:1/0" => "redis://h:1/0", "mysql://u:s3cret@h/d?x=1" => "mysql://h/d?x=1",
      "redis://h/0?password=s3cret" => "redis://h/0",
      "sqlite:a.db?synchronous=full&api_token=s3cret" => "sqlite:a.db?synchronous=full",
      "unix://u:s3cret@/tmp/x?PWD=s3cret&db=1" => "unix:///tmp/x?db=1", "" => "",
      "nonsense" => "nonsense"
    }.each { |given, shown| assert_equal(shown, Store::Address.shown(given)) }
  end

  # Neither messages of errors and causes nor the store's own texts show it.
  def test_no_secret_of_an_address_is_echoed
    ["sqlite:/nowhere/x.db?password=s3cret", "redis://127.0.0.1:1/0?password=s3cret",
      "redis://u:s3cret@h/no?timeout=s3cret",
      "postgres:///app?host=127.0.0.1&password=s3cret",
      "postgres://u:s3cret@127.0.0.1:1/app?sslpassword=s3cret", "mysql://u:s3cret@h/d",
      "memory:?password=s3cret", "REDIS://:s3cret@h/1"].each do |url|
      refute_match(/s3cret/, said_of(url), url)
    end
  end

  def test_a_store_shows_its_address
    Dir.mktmpdir do |dir|
      ["sqlite:#{dir}/a.db", "memory:", "redis://h:77/2"].each do |url|
        store = Store.open(url)
        assert_equal url, store.url
        assert_equal "#<#{store.class} #{url}>", store.inspect
      ensure
        store&.close
      end
    end
  end

  private

  # @return [String] all that is said of a store
  def said_of(url)
    store = Store.open(url)
    [store.inspect, store.to_s, store.url].join(" ")
  rescue Raffia::MissingDependency
    ""
  rescue Raffia::Error => error
    [error.full_message(highlight: false), error.inspect].join(" ")
  ensure
    store&.close
  end
end
