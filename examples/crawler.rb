# frozen_string_literal: true

# A crawler that stays polite and comes to an end: from page to page, a few requests at a time and
# not too many a second, with a time limit for each page and one for all. Its web site is served by
# the program itself, and has what web sites have: a page that never comes, a link that leads
# nowhere, and a calendar that goes on for ever.
#
#     bin/raffia run examples/crawler.rb
#
# It prints how many pages it has found, which it could not get, and when it gave up.

require "raffia"
require "raffia/server"
require "net/http"

SITE = lambda do |env|
  links =
    case env["PATH_INFO"]
    when "/" then (1..20).map { |number| "/articles/#{number}" } + ["/calendar/1", "/slow", "/gone"]
    when %r{\A/articles/(\d+)\z} then ["/", "/articles/#{($1.to_i % 20) + 1}"]
    when %r{\A/calendar/(\d+)\z} then ["/calendar/#{$1.to_i + 1}"]
    when "/slow" then sleep
    end
  next [404, {"content-type" => "text/plain"}, ["not here"]] unless links

  [200, {"content-type" => "text/html"}, links.map { |link| %(<a href="#{link}">#{link}</a>\n) }]
end

# Follows links from a first page, as far as its limits let it.
class Crawler
  attr_reader :pages, :failures, :busiest

  # @param at_once [Integer] requests under way
  # @param per_second [Integer] requests begun
  # @param page_limit [Numeric] seconds for a page
  # @param depth [Integer] links from the first page
  def initialize(at_once: 4, per_second: 500, page_limit: 4, depth: 5)
    @slots = Raffia::Semaphore.new(at_once)
    @rate = Raffia::RateLimiter.new(per_second, per: 1, burst: at_once)
    @page_limit = page_limit
    @depth = depth
    @seen = Set.new
    @pages = []
    @failures = {}
    @under_way = @busiest = 0
  end

  # A task for each page; the scope ends after the last of them, and the time limit ends them all.
  def crawl(first, limit:)
    Raffia.timeout(limit) do
      Raffia::Scope.open { |scope| visit(scope, URI(first), 0) }
    end
    self
  end

  private

  # No lock is needed: the fibers of one thread take turns only where they wait.
  def visit(scope, uri, depth)
    return if depth > @depth || !@seen.add?(uri)

    scope.spawn do
      links(fetch(uri)).each { |link| visit(scope, uri + link, depth + 1) }
      @pages << uri.path
    rescue Raffia::TimeoutError, Net::HTTPExceptions => error
      @failures[uri.path] = error.message
    end
  end

  def fetch(uri)
    @slots.synchronize do
      @rate.acquire
      @busiest = [@busiest, @under_way += 1].max
      Raffia.timeout(@page_limit) { Net::HTTP.get_response(uri).tap(&:value).body }
    ensure
      @under_way -= 1
    end
  end

  def links(html) = html.scan(/href="([^"]+)"/).flatten
end

Raffia::Server.start(SITE, log_level: :error, drain_timeout: 0.1) do |server|
  crawler = Raffia.run { Crawler.new.crawl(server.url, limit: 60) }
  puts "#{crawler.pages.size} pages, #{crawler.pages.grep(/calendar/).size} of them of the " \
    "calendar, never more than #{crawler.busiest} at once"
  crawler.failures.sort.each { |path, why| puts "#{path}: #{why}" }

  # The time limit for all holds wherever the crawler is.
  begin
    Raffia.run { Crawler.new(page_limit: 60).crawl(server.url, limit: 1) }
  rescue Raffia::TimeoutError => error
    puts "given up after #{error.seconds} s"
  end
end
