# frozen_string_literal: true

require "test_helper"
require "raffia/jobs/web"

# Base of the dashboard's tests: requests like those of a browser on this machine, and a store in
# memory.
class JobsWebCase < Raffia::TestCase
  Jobs = Raffia::Jobs
  Response = Data.define(:status, :headers, :body) do
    def json = JSON.parse(body, max_nesting: 0)
  end

  def setup
    super
    @store = open_store
    @client = Jobs::Client.new(@store)
    @web = Jobs::Web.new(store: @store)
  end

  def teardown
    @store&.close
    super
  end

  def open_store = Jobs::Store.open("memory:")

  def request(method, address, body: nil, web: @web, **env)
    path, query = address.b.split("?", 2)
    env = {"REQUEST_METHOD" => method, "SCRIPT_NAME" => "", "PATH_INFO" => path,
           "QUERY_STRING" => query.to_s, "REMOTE_ADDR" => "127.0.0.1",
           "HTTP_HOST" => "localhost:9293", "rack.input" => body && StringIO.new(body),
           **env.transform_keys(&:to_s)}.compact
    status, headers, parts = web.call(env)
    Response.new(status, headers, parts.join)
  end

  def get(address, **) = request("GET", address, **)

  # Sends a form of one of our pages.
  def post(address, fields = {}, **env)
    request("POST", address, body: URI.encode_www_form(fields),
      CONTENT_TYPE: "application/x-www-form-urlencoded", HTTP_SEC_FETCH_SITE: "same-origin", **env)
  end

  def enqueue(*items)
    @client.enqueue(items.map { |item| {"class" => "PageJob", "args" => [], **item} })
  end

  def bury(jobs = 1, error: "boom", queue: "default")
    enqueue(*Array.new(jobs) { |index| {"args" => [index], "queue" => queue} })
    lease = @store.enroll("test:1:a", {}, ttl: 600)
    @store.claim(lease, [queue], jobs).each do |claim|
      @store.bury(claim,
        JSON.generate(claim.item.merge("error_class" => "RuntimeError", "error_message" => error,
          "retry_count" => 2)))
    end
    @store.resign(lease)
  end

  def keys(set, **) = @store.entries(set, **).map { |entry| Jobs::Web::JobPresenter.new(entry).key }
end
